import type { Catalogues } from "../catalogues";

const sources: Catalogues["sources"] = {
  title: "Sources",
  about: "where it searches, whatever the version",
  edit: "Change sources",
  find: "Search it now",
  find_with: "Search it now: {{name}}",
  state: { on: "In use", off: "Not used", missing: "Not set up" },
  what: {
    fast: "Searches the product's own catalogue",
    fast_more: "Searches the product's own catalogue, and {{list}}",
    competitor: "Asks the competitor library for what others run; at most {{n}} times a task, waiting up to {{minutes}} min each and paging through the fast search meanwhile",
    hot: "Hands the whole task to the deep-search engine and waits up to {{minutes}} min; only when it is named, or the only source in use",
    unknown: "This source is not known here, nothing can be found there",
  },
  cost: {
    free: "Free",
    platforms: "The catalogue is free; {{list}} charge by the request",
    each: "{{cost}} each time",
    unstated: "No price is stated",
    needs: "An administrator has to set it up first",
  },
  missing: "Choose at least one source",
  dead: "None of the chosen sources is set up, so nothing would be found. Choose at least one that is.",
  editing: {
    title: "Where to search",
    why: "Holds from the next search on; what is running is not affected.",
    save: "Save",
    saving: "Saving…",
    cancel: "Cancel",
  },
};

export default sources;
