// The pages of films. en/films.ts has the same keys.
const films = {
  title: "成片",
  all: "全部成片",
  untitled: "没有标题的成片",
  task: "看那次任务",
  download: "下载成片",
  no_file: "这支成片没有视频文件。",
  list: {
    none: "还没有成片",
    none_next: "打开一份方案，点「做成片」。",
    none_boards: "成片由方案做成。先在创意源里选几条，点「做方案」。",
    none_rendering: "正在渲染，做好会出现在这里。",
    to_boards: "去方案",
    to_materials: "去选创意源",
    more: "再显示一些",
    loading_more: "正在读取更多…",
    end: "到底了，共 {{n}} 支",
  },
  tile: { fresh: "新", downloads: "下载 {{n}} 次", likes: "{{n}} 个赞", comments: "{{n}} 句评论" },
  board: {
    title: "方案",
    changed: "方案在成片之后改过，对照时可能不完全一致。",
    seek: "跳到第 {{n}} 格",
    no_caption: "没有字幕",
  },
  bar: {
    pins: "钉在时间上的评论",
    pin: "{{name}}在 {{from}}–{{to}} 秒说：{{words}}",
    range: "{{from}}–{{to}} 秒",
  },
  comment: {
    label: "评论这支成片",
    from: "从",
    to: "到",
    from_now: "从此刻起",
    to_now: "到此刻止",
    draw: "在上面的条上拖出一段，评论就钉在那里",
    whole: "改说整支",
    on_range: "对这一段说一句",
    on_whole: "对整支成片说一句",
    like: "赞",
    dislike: "踩",
    send: "记下",
    sending: "正在记…",
    too_long: "最多 {{n}} 个字",
  },
  versions: { title: "各个版本", n: "共 {{n}} 版", this: "这一版" },
};

export default films;

declare module "../catalogues" {
  interface Catalogues {
    films: typeof films;
  }
}
