export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const stored = "sozai.theme";
const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  const choice = localStorage.getItem(stored);
  return themes.find((t) => t === choice) ?? "system";
}

export function chooseTheme(choice: Theme): void {
  localStorage.setItem(stored, choice);
  apply();
}

/** Puts the theme on the page and keeps it in step with the system. */
export function startTheme(): void {
  apply();
  dark().addEventListener("change", apply);
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  const choice = theme();
  return choice === "dark" || (choice === "system" && dark().matches);
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}
