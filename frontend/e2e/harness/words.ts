// The words that people see, from the catalogues themselves: a check finds a
// button by the name that it has on the screen.
import boards from "../../src/locales/zh-CN/boards";
import card from "../../src/locales/zh-CN/card";
import common from "../../src/locales/zh-CN/common";
import films from "../../src/locales/zh-CN/films";
import gene from "../../src/locales/zh-CN/gene";
import materials from "../../src/locales/zh-CN/materials";
import room from "../../src/locales/zh-CN/room";
import sources from "../../src/locales/zh-CN/sources";
import system from "../../src/locales/zh-CN/system";
import tasks from "../../src/locales/zh-CN/tasks";

export const words = { boards, card, common, films, gene, materials, room, sources, system, tasks };

/** A catalogue's text with its {{placeholders}} open. */
export function like(text: string): RegExp {
  const parts = text.split(/\{\{[^}]*\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join(".*"));
}
