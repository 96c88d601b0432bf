import { describe, expect, it } from 'vitest';
import { fc } from '@/core/testing/property-runs';
import { RANGE_NAMES } from '../format/range-names';
import { DENSITIES, readPreferences, shownZone, THEMES, writePreferences } from './preferences';

const DEFAULT_PREFERENCES = readPreferences(undefined);

describe('the preferences of a viewer', () => {
  it('are the defaults for missing and invalid values', () => {
    const defaults = { theme: 'system', density: 'comfortable', zone: 'local', range: '24h' };
    expect(DEFAULT_PREFERENCES).toMatchObject(defaults);
    for (const cookie of ['', 'theme="><script>&density=9&zone=Mars/Olympus&range=%00&local=x'])
      expect(readPreferences(cookie)).toEqual(DEFAULT_PREFERENCES);
    expect(readPreferences(`zone=${'A/'.repeat(100)}`).zone).toBe('local');
  });

  it('survive a round trip', () => {
    fc.assert(
      fc.property(
        fc.record({
          theme: fc.constantFrom(...THEMES),
          density: fc.constantFrom(...DENSITIES),
          zone: fc.constantFrom('local', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'),
          author: fc.constantFrom('', 'Ada', 'Åsa & Søn; 50 %=x'),
          localZone: fc.constantFrom(null, 'UTC', 'Asia/Tokyo'),
          range: fc.constantFrom(...RANGE_NAMES),
        }),
        (preferences) => {
          expect(readPreferences(writePreferences(preferences))).toEqual(preferences);
        },
      ),
    );
  });

  it('omit defaults from the cookie', () => {
    expect(writePreferences(DEFAULT_PREFERENCES)).toBe('');
    expect(writePreferences({ ...DEFAULT_PREFERENCES, zone: 'Europe/Berlin' })).toBe('zone=Europe%2FBerlin');
  });

  it('use the chosen zone, else the browser’s, else UTC', () => {
    const inBerlin = { ...DEFAULT_PREFERENCES, localZone: 'Europe/Berlin' };
    expect(shownZone({ ...inBerlin, zone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
    expect(shownZone(inBerlin)).toBe('Europe/Berlin');
    expect(shownZone(DEFAULT_PREFERENCES)).toBe('UTC');
  });
});
