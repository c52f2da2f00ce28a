// Light or dark, before the first paint: a classic script, so that nothing flashes.

(() => {
  const KEY = "tiletune-theme";
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const set = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  set(read());
  const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      button.textContent = isDark() ? "☀" : "☾";
    };
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      set(theme);
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // Without storage the choice ends with the page.
      }
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    show();
  });
})();
