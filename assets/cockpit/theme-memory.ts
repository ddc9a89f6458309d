const KEY = "marketwright-theme";

/** Keeps the reader's choice of light or dark for the next time, where the browser lets it. */
export function rememberTheme(): void {
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    document.addEventListener("themechange", () => {
      if (root.dataset.theme !== undefined) localStorage.setItem(KEY, root.dataset.theme);
    });
  } catch {
    // A browser without storage follows the system each time.
  }
}
