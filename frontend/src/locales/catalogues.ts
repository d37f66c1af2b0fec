import type common from "./zh-CN/common";

/**
 * The catalogue of each namespace. A namespace is two files, zh-CN/<name>.ts and
 * en/<name>.ts, each with a default export; they are found by themselves. The
 * Chinese one decides the keys and adds itself here, so that keys are checked:
 *
 *   const room = { title: "管家" };
 *   export default room;
 *   declare module "../catalogues" { interface Catalogues { room: typeof room } }
 *
 * The English one is `const room: Catalogues["room"] = {…}; export default room;`.
 */
export interface Catalogues {
  common: typeof common;
}
