import { describe, expect, it } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../preferences/preferences';
import { findPages, matchesWords, paletteActions } from './palette-actions';

const ZONES = ['America/New_York', 'Asia/Tokyo', 'Europe/Berlin', 'Europe/Paris', 'UTC'];

function actions(query: string, situation: Partial<Parameters<typeof paletteActions>[0]> = {}) {
  return paletteActions({
    preferences: { ...DEFAULT_PREFERENCES, localZone: 'Europe/Berlin' },
    pathname: '/',
    search: '',
    zones: ZONES,
    query,
    ...situation,
  });
}
const names = (query: string, situation?: Parameters<typeof actions>[1]) =>
  actions(query, situation).map(({ name }) => name);

describe('the actions of the palette', () => {
  it('are all there before anything is typed, and say what holds', () => {
    const all = actions('');
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Theme: dark', 'Rows: compact', 'Times: UTC', 'Copy link to this view']),
    );
    expect(all.filter(({ checked }) => checked).map(({ id }) => id)).toEqual([
      'theme-system',
      'density-comfortable',
      'zone-local',
    ]);
  });

  it('are found by words in any order and case, and by words they do not show', () => {
    expect(names('DARK theme')).toEqual(['Theme: dark']);
    expect(names('share')).toEqual(['Copy link to this view']);
    expect(names('nothing of this')).toEqual([]);
  });

  it('offer any time zone by its name', () => {
    expect(names('tokyo')).toEqual(['Times: Asia/Tokyo']);
    expect(names('new york')).toEqual(['Times: America/New York']);
    expect(names('times europe')).toContain('Times: Europe/Paris');
    expect(names('time'), 'the word alone names no zone').not.toContain('Times: Asia/Tokyo');
    const [tokyo] = actions('tokyo', {
      preferences: { ...DEFAULT_PREFERENCES, zone: 'Asia/Tokyo' },
    });
    expect(tokyo).toMatchObject({ checked: true, effect: { part: { zone: 'Asia/Tokyo' } } });
  });

  it('show the fleet as a wall and as a list again, and keep its filters', () => {
    const wall = (search: string) => actions('wall list', { search }).find(({ id }) => id === 'wall');
    expect(wall('?state=critical')?.effect).toEqual({ type: 'query', search: '?state=critical&view=wall' });
    expect(wall('?view=wall')).toMatchObject({ name: 'Show the fleet as a list', effect: { search: '' } });
    expect(actions('wall', { pathname: '/events' }), 'a wall is of the fleet').toEqual([]);
    const clear = (search: string) => actions('whole fleet', { search })[0]?.effect;
    expect(clear('?view=wall&q=x')).toEqual({ type: 'query', search: '?view=wall' });
    expect(clear('?view=wall'), 'nothing is left out').toBeUndefined();
  });

  it('go to a time of the session on screen, typed or still to be typed, and keep its picture', () => {
    const pathname = '/sessions/s1';
    const [typed] = actions('14:03', { pathname, search: '?lens=snapshot' });
    expect(typed).toMatchObject({
      name: 'Go to 14:03 in this session',
      effect: { type: 'query', search: '?lens=snapshot&time=14%3A03' },
    });
    expect(actions('go to 9.15', { pathname })[0]?.effect).toEqual({ type: 'query', search: '?time=9.15' });
    expect(actions('go to a time', { pathname })[0]?.effect).toEqual({ type: 'query', search: '?time=' });
    expect(actions('14:03'), 'the fleet has no time of its own').toEqual([]);
  });

  it('compare the session on screen with another one, and any two from anywhere', () => {
    const compared = actions('compare', { pathname: '/sessions/s1' }).map(({ effect }) => effect);
    expect(compared).toEqual([
      { type: 'go', href: '/compare?a=s1' },
      { type: 'go', href: '/compare' },
    ]);
    expect(names('compare', { pathname: '/events' })).toEqual(['Compare two sessions']);
  });

  it('follow live where a range is chosen, and keep the rest of the picture', () => {
    expect(names('follow')).toEqual([]);
    const [follow] = actions('follow', {
      pathname: '/sessions/1',
      search: '?lens=snapshot&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
    });
    expect(follow?.effect).toEqual({ type: 'query', search: '?lens=snapshot' });
  });

  it('show the whole fleet where it is narrowed', () => {
    expect(names('whole')).toEqual([]);
    expect(actions('whole', { search: '?state=critical' })[0]?.effect).toEqual({ type: 'query', search: '' });
  });
});

describe('words', () => {
  it('match when each of them is somewhere', () => {
    expect(matchesWords('Upgrade React', 'react up')).toBe(true);
    expect(matchesWords('Upgrade React', 'react down')).toBe(false);
    expect(matchesWords('anything', '  ')).toBe(true);
  });
});

describe('the pages a query finds', () => {
  const found = (query: string) => {
    const { pages, isNamed } = findPages(
      [{ name: 'Fleet' }, { name: 'Events' }, { name: 'Settings' }],
      query,
    );
    return { names: pages.map(({ name }) => name), isNamed };
  };

  it('list names with the typed prefix first', () => {
    expect(found('e')).toEqual({ names: ['Events', 'Fleet', 'Settings'], isNamed: true });
    expect(found('EVENTS')).toEqual({ names: ['Events'], isNamed: true });
  });

  it('keep their order where it names none, and where nothing is asked', () => {
    expect(found('t')).toEqual({ names: ['Fleet', 'Events', 'Settings'], isNamed: false });
    expect(found('')).toEqual({ names: ['Fleet', 'Events', 'Settings'], isNamed: false });
  });
});
