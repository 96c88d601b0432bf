/** The viewer's theme: a cookie, so that the server renders it and no script has to correct the first paint. */
export const THEME_COOKIE = 'barograph-theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function readTheme(cookie: string | undefined): Theme {
  return cookie === 'light' || cookie === 'dark' ? cookie : 'system';
}

const YEAR_S = 365 * 24 * 60 * 60;

/** Applies a theme to the open page and keeps it for a year; `system` forgets the choice. */
export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') {
    delete root.dataset.theme;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http
    document.cookie = `${THEME_COOKIE}=; path=/; max-age=0; samesite=lax`;
    return;
  }
  root.dataset.theme = theme;
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
