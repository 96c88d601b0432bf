import { describe, expect, it } from 'vitest';
import { activeNavItem } from './nav-items';
import { readTheme } from './theme';

describe('the bar', () => {
  it('marks the page that is open, and the fleet for a session', () => {
    expect(activeNavItem('/')).toBe('/');
    expect(activeNavItem('/sessions/6f1a1f5e')).toBe('/');
    expect(activeNavItem('/settings')).toBe('/settings');
    expect(activeNavItem('/settings/limits')).toBe('/settings');
    expect(activeNavItem('/eventsource')).toBeNull();
  });

  it('takes a theme from the cookie, and the system’s from anything else', () => {
    expect(readTheme('dark')).toBe('dark');
    expect(readTheme('light')).toBe('light');
    expect(readTheme(undefined)).toBe('system');
    expect(readTheme('"><script>')).toBe('system');
  });
});
