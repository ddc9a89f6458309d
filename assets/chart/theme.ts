/**
 * Light or dark by the setting of the reader's system, until the reader chooses. Drawings learn of
 * a change by the event `themechange` of the document.
 */
export function offerThemes(): void {
  const button = document.getElementById("theme");
  if (!(button instanceof HTMLButtonElement)) return;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = (): boolean =>
    (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = (): void => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Show in light colours" : "Show in dark colours");
    document.dispatchEvent(new Event("themechange"));
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
}
