/** The pages, in the order of the bar. */
export const NAV_ITEMS = [
  { href: '/', name: 'Fleet' },
  { href: '/events', name: 'Events' },
  { href: '/history', name: 'History' },
  { href: '/transcripts', name: 'Transcripts' },
  { href: '/connect', name: 'Connect' },
  { href: '/settings', name: 'Settings' },
] as const;

export type NavHref = (typeof NAV_ITEMS)[number]['href'];

/** The item a path belongs to; a session, and two compared, belong to the fleet. */
export function activeNavItem(pathname: string): NavHref | null {
  if (pathname === '/' || pathname === '/compare' || pathname.startsWith('/sessions/')) return '/';
  const found = NAV_ITEMS.find(
    ({ href }) => href !== '/' && (pathname === href || pathname.startsWith(`${href}/`)),
  );
  return found?.href ?? null;
}
