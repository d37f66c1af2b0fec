// Where agents search. en/sources.ts has the same keys.
const sources = {
  title: "来源",
  about: "到哪里找，不随版本变",
  edit: "修改来源",
  find: "用它找一次",
  find_with: "用它找一次：{{name}}",
  state: { on: "在用", off: "没有用", missing: "没有接上" },
  what: {
    fast: "在产品自己的素材库里搜",
    fast_more: "在产品自己的素材库里搜，也在{{list}}里搜",
    competitor: "向竞品库要别家在投的素材；一次任务最多要 {{n}} 回，每回最多等 {{minutes}} 分钟，等的时候照样翻快搜",
    hot: "把整次任务交给深搜引擎去找爆款，最多等 {{minutes}} 分钟；点名要它，或者只用它时才会去找",
    unknown: "这里不认识这个来源，在它那里找不到东西",
  },
  cost: {
    free: "没有费用",
    platforms: "素材库没有费用，{{list}}按请求计费",
    each: "每回 {{cost}}",
    unstated: "没有标出单价",
    needs: "需要管理员先把它接上",
  },
  missing: "至少选一个来源",
  dead: "选中的来源都没有接上，什么也找不到。至少选一个接上了的。",
  editing: {
    title: "到哪里找",
    why: "从下一次找片起，按这里的来源去找；正在跑的任务不受影响。",
    save: "保存",
    saving: "正在保存…",
    cancel: "取消",
  },
};

export default sources;

declare module "../catalogues" {
  interface Catalogues {
    sources: typeof sources;
  }
}
