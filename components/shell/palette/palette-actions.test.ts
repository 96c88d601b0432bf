import { describe, expect, it } from 'vitest';
import { readPreferences } from '../../preferences/preferences';
import { paletteActions } from './palette-actions';

const act = {
  prefer: (part: object) => part,
  copyLink: () => 'copied',
  show: (search: string) => `show ${search}`,
  go: (href: string) => `go ${href}`,
  help: () => 'help',
};

const preferences = { ...readPreferences(undefined), localZone: 'Europe/Berlin' };
const actions = (query: string, address = '/') => {
  const { pathname, search } = new URL(address, 'http://here');
  return paletteActions({ preferences, pathname, search, query, act });
};

describe('the actions of the palette', () => {
  it('are all listed before typing, with the current ones marked', () => {
    const all = actions('');
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Theme: dark', 'Rows: compact', 'Times: UTC', 'Copy link to this view']),
    );
    expect(all.filter(({ checked }) => checked).map(({ name }) => name)).toEqual([
      'Theme: system',
      'Rows: comfortable',
      'Times: browser (Europe/Berlin)',
    ]);
  });

  it.each([
    ['words in any order and case', 'DARK theme', '/', ['Theme: dark: [object Object]']],
    ['words beside its name', 'share', '/', ['Copy link to this view: copied']],
    ['none of its words', 'nothing of this', '/', []],
    [
      'the wall, filters kept',
      'wall',
      '/?state=critical',
      ['Show the fleet as a wall: show ?state=critical&view=wall'],
    ],
    ['the list', 'wall', '/?view=wall', ['Show the fleet as a list: show ']],
    ['a wall away from the fleet', 'wall', '/events', []],
    ['the filters of a wall', 'whole', '/?view=wall&q=x', ['Show the whole fleet: show ?view=wall']],
    ['the filters of a list', 'whole', '/?state=critical', ['Show the whole fleet: show ']],
    ['no filters', 'whole', '/?view=wall', []],
    [
      'a time that is typed',
      '14:03',
      '/sessions/s1?lens=snapshot',
      ['Go to 14:03 in this session: show ?lens=snapshot&time=14%3A03'],
    ],
    ['a time in words', 'go to 9.15', '/sessions/s1', ['Go to 9.15 in this session: show ?time=9.15']],
    ['a missing time', 'go to a time', '/sessions/s1', ['Go to a time in this session: show ?time=']],
    ['a time away from sessions', '14:03', '/', []],
    [
      'comparing on a session',
      'compare',
      '/sessions/s1',
      ['Compare this session with another one: go /compare?a=s1', 'Compare two sessions: go /compare'],
    ],
    ['comparing elsewhere', 'compare', '/events', ['Compare two sessions: go /compare']],
    ['following live without a range', 'follow', '/sessions/s1', []],
    [
      'following live from a range',
      'follow',
      '/sessions/1?lens=snapshot&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
      ['Follow live: show ?lens=snapshot'],
    ],
  ])('suit the query and the page: %s', (_, query, address, found) => {
    expect(actions(query, address).map((action) => `${action.name}: ${action.run()}`)).toEqual(found);
  });
});
