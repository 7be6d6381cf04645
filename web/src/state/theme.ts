// Light or dark: what the system prefers, unless the user chose one. The choice is kept in the browser.
import { useEffect, useState } from "preact/hooks";
import type { Theme } from "../map/colour.ts";

export type ThemeChoice = "auto" | Theme;

const storageKey = "berth.theme";

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(storageKey);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto";
  }
}

export function useTheme(): { choice: ThemeChoice; theme: Theme; choose(choice: ThemeChoice): void } {
  const [choice, setChoice] = useState<ThemeChoice>(stored);
  const [system, setSystem] = useState<Theme>(() =>
    matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  );
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setSystem(query.matches ? "dark" : "light");
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  const theme = choice === "auto" ? system : choice;
  document.documentElement.dataset.theme = theme;
  return {
    choice,
    theme,
    choose(next) {
      setChoice(next);
      try {
        if (next === "auto") localStorage.removeItem(storageKey);
        else localStorage.setItem(storageKey, next);
      } catch {
        // Private windows may have no storage; the choice then lasts as long as the page.
      }
    },
  };
}
