import { describe, expect, it } from 'vitest';
import { activeNavItem } from './nav-items';

describe('the bar', () => {
  it('marks the page that is open, and the fleet for a session', () => {
    expect(activeNavItem('/')).toBe('/');
    expect(activeNavItem('/sessions/6f1a1f5e')).toBe('/');
    expect(activeNavItem('/settings')).toBe('/settings');
    expect(activeNavItem('/settings/limits')).toBe('/settings');
    expect(activeNavItem('/eventsource')).toBeNull();
  });
});
