/** The pages, in the order of the bar. */
export const NAV_ITEMS = [
  { href: '/', name: 'Fleet' },
  { href: '/events', name: 'Events' },
  { href: '/history', name: 'History' },
  { href: '/transcripts', name: 'Transcripts' },
  { href: '/connect', name: 'Connect' },
  { href: '/settings', name: 'Settings' },
] as const;

/** The item of a path. Sessions and comparisons belong to the fleet. */
export function activeNavItem(pathname: string): string | null {
  const root = `/${pathname.split('/')[1]}`;
  return (
    NAV_ITEMS.find(({ href }) => href === (/^\/(compare|sessions)$/.test(root) ? '/' : root))?.href ?? null
  );
}
