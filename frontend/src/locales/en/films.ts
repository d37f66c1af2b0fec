import type { Catalogues } from "../catalogues";

const films: Catalogues["films"] = {
  title: "Films",
  all: "All films",
  untitled: "A film without a title",
  task: "See its task",
  download: "Download",
  no_file: "This film has no video file.",
  list: {
    none: "No films yet",
    none_next: "Open a board and press “Make the film”.",
    none_boards: "A film is made from a board. First choose some materials and press “Make a board”.",
    none_rendering: "One is being rendered. It appears here when it is done.",
    to_boards: "To the boards",
    to_materials: "Choose materials",
    more: "Show more",
    loading_more: "Reading more…",
    end: "That is all, {{n}} in total",
  },
  tile: { fresh: "New", downloads: "Downloads: {{n}}", likes: "Likes: {{n}}", comments: "Comments: {{n}}" },
  board: {
    title: "Board",
    changed: "The board was edited after the film was made, so they may differ.",
    seek: "Go to panel {{n}}",
    no_caption: "No caption",
  },
  bar: {
    pins: "Comments pinned to a time",
    pin: "{{name}} at {{from}}–{{to}} s: {{words}}",
    range: "{{from}}–{{to}} s",
  },
  comment: {
    label: "Comment on this film",
    from: "From",
    to: "to",
    from_now: "from now",
    to_now: "until now",
    draw: "Draw a stretch on the bar above to pin the comment there",
    whole: "On the whole film",
    on_range: "Say something about this stretch",
    on_whole: "Say something about the whole film",
    like: "Like",
    dislike: "Dislike",
    send: "Record",
    sending: "Recording…",
    too_long: "At most {{n}} characters",
  },
  versions: { title: "Versions", n: "{{n}} versions", this: "this one" },
};

export default films;
