/** The last opened sessions and archives, in this browser's storage, the newest first. */

export interface RecentPage {
  href: string;
  name: string;
}

const KEY = 'barograph-recent';
const MOST = 6;
const IS_RECENT = /^\/(sessions|transcripts)\/[\w-]+$/;

export function readRecent(): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function addRecent(page: RecentPage): void {
  if (!isRecent(page)) return;
  const others = readRecent().filter(({ href }) => href !== page.href);
  try {
    localStorage.setItem(KEY, JSON.stringify([page, ...others].slice(0, MOST)));
  } catch {
    // Without storage there are no recent pages.
  }
}

function isRecent(value: unknown): value is RecentPage {
  const { href, name } = (value ?? {}) as Partial<Record<keyof RecentPage, unknown>>;
  return typeof href === 'string' && IS_RECENT.test(href) && typeof name === 'string' && name !== '';
}

const TITLE_END = / · Barograph$/;

/** Add each displayed session, named by the title of its page. @returns ends it */
export function recordSessions(): () => void {
  const record = () => {
    const { pathname } = location;
    if (pathname.startsWith('/sessions/') && TITLE_END.test(document.title))
      addRecent({ href: pathname, name: document.title.replace(TITLE_END, '') });
  };
  record();
  const observer = new MutationObserver(record);
  observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}
