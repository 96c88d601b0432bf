import { describe, expect, it } from 'vitest';
import { activeNavItem, keysOf, NAV_ITEMS } from './nav-items';

const whats = (pathname: string) =>
  keysOf(pathname, 'Ctrl K').flatMap(({ keys }) => keys.map(([, what]) => what));

describe('the help', () => {
  it('lists the page’s own keys first, then the global ones', () => {
    expect(keysOf('/', '⌘K').map(({ title }) => title)).toEqual(['On the fleet', 'Everywhere']);
    expect(keysOf('/sessions/1', '⌘K')[0]?.title).toBe('On a session');
    expect(keysOf('/settings', '⌘K').map(({ title }) => title)).toEqual(['Everywhere']);
    for (const path of [...NAV_ITEMS.map(({ href }) => href), '/sessions/1']) {
      expect(whats(path)).toEqual(
        expect.arrayContaining(['this list', 'sessions, pages and actions by name']),
      );
    }
  });

  it('lists row keys on pages with rows', () => {
    expect(whats('/')).toContain('open the row');
    expect(whats('/events')).toContain('open the row');
    expect(whats('/connect')).not.toContain('open the row');
  });

  it('names keys only where they work', () => {
    expect(whats('/')).toContain('next and previous row');
    expect(whats('/sessions/1')).not.toContain('next and previous row');
    expect(whats('/history')).toContain('zoom into the bucket');
    expect(whats('/settings')).not.toContain('zoom into the bucket');
  });
});

it.each([
  ['/', '/'],
  ['/sessions/6f1a1f5e', '/'],
  ['/compare', '/'],
  ['/settings/limits', '/settings'],
  ['/eventsource', null],
])('the bar marks the item of %s', (pathname, href) => {
  expect(activeNavItem(pathname)).toBe(href);
});
