// Drawn on a grid of 24, one stroke; what a button means is in its words.
const paths = {
  agents: "M4 6h7v6H4zM13 6h7v6h-7zM4 14h7v4H4zM13 14h7v4h-7z",
  alert: "M12 4 2.8 19.5h18.4zM12 10v4M12 17v.3",
  arrowDown: "M12 5v14m6-6-6 6-6-6",
  arrowUp: "M12 19V5m6 6-6-6-6 6",
  board: "M4 5h16v14H4zM4 12h16M10 5v14",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevronDown: "m6 9.5 6 6 6-6",
  chevronLeft: "m14.5 6-6 6 6 6",
  chevronRight: "m9.5 6 6 6-6 6",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5V12l3 2",
  close: "m6 6 12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  download: "M12 4v11m5-5-5 5-5-5M5 20h14",
  edit: "m14.5 5.5 4 4L8 20H4v-4zM12.5 7.5l4 4",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  eyeOff: "M4 4l16 16M9.5 6A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.8M6.3 7.6C3.8 9.3 2.5 12 2.5 12S6 18.5 12 18.500c1.5 0 2.9-.4 4.1-1",
  filter: "M4 6h16M7 12h10M10 18h4",
  gene: "M7 3c0 6 10 6 10 12 0 2.5-2 4-2 6M17 3c0 6-10 6-10 12 0 2.5 2 4 2 6M8.5 6h7M8.5 18h7",
  history: "M4 12a8 8 0 1 0 2.5-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 1.5",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.700l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.700l1-1",
  materials: "M4 5h16v14H4zM4 9.500h16M8 5v4.500M16 5v4.500M10 12.500v4l3.5-2z",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  openPanel: "M4 5h16v14H4zM14.5 5v14M11 10l-2 2 2 2",
  closePanel: "M4 5h16v14H4zM14.5 5v14M8.5 10l2 2-2 2",
  pause: "M8 5v14M16 5v14",
  people: "M9 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.5-3.5 3-5.5 6.5-5.500s6 2 6.5 5.500M16 5a3.5 3.5 0 0 1 0 6.500M18 14.800c2 .7 3.2 2.4 3.5 5.2",
  play: "M7 4.500v15l12-7.500z",
  plus: "M12 5v14M5 12h14",
  refresh: "M20 11a8 8 0 0 0-14-4.500L4 8.500M4 4v4.500h4.500M4 13a8 8 0 0 0 14 4.500l2-2m0 4.500v-4.500h-4.5",
  room: "M4 5h16v11H11l-4 4v-4H4z",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20",
  send: "M5 12h13m-5.5-6 6 6-6 6",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM9 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  stop: "M7.5 7.500h9v9h-9z",
  tasks: "M4 6.500l1.5 1.500L8 5M4 12.5 5.5 14 8 11M4 18.5 5.5 20 8 17M11.5 6.500H20M11.5 12.500H20M11.5 18.500H20",
  thumb: "M7 11v9H4v-9zM7 11l4-8c1.7 0 2.6 1.2 2.2 2.800L12.5 9H18a2 2 0 0 1 2 2.400l-1.2 6A2.5 2.5 0 0 1 16.4 20H7",
  undo: "M8 5 4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11H9",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words, or in a button that has words of its own. */
export function Icon({ name, className = "" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      className={`size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 2.6 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}
