import { describe, expect, it } from 'vitest';
import { readPreferences } from '../../preferences/preferences';
import { paletteActions } from './palette-actions';

const act = {
  prefer: (part: object) => part,
  copyLink: () => 'copied',
  show: (search: string) => `show ${search}`,
  go: (href: string) => `go ${href}`,
  help: () => 'help',
  acknowledge: (ids: readonly string[]) => `acknowledge ${ids.join()}`,
  mute: (session: string) => `mute ${session}`,
  command: (action: string, text: string) => `command ${action} ${text}`,
  type: (text: string) => `type ${text}`,
};

const preferences = { ...readPreferences(undefined), localZone: 'Europe/Berlin' };
const actions = (query: string, address = '/', canOperate = true) => {
  const { pathname, search } = new URL(address, 'http://here');
  const alerts = [
    { id: 'a', name: 'Over limit: payments' },
    { id: 'b', name: 'Thrash: search' },
  ];
  const now = Date.UTC(2026, 2, 4, 14, 30);
  const commands = pathname.startsWith('/sessions/') ? (['restart', 'say'] as const) : [];
  const situation = { preferences, pathname, search, query, alerts, commands, canOperate, act };
  return paletteActions({ ...situation, zone: 'UTC', now });
};

describe('the actions of the palette', () => {
  it('exclude a mute for a viewer who may not operate', () => {
    expect(actions('mute', '/sessions/s1', false)).toEqual([]);
  });

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
    ['a firing alert', 'payments', '/', ['Acknowledge Over limit: payments: acknowledge a']],
    ['all firing alerts', 'acknowledge all', '/', ['Acknowledge 2 alerts: acknowledge a,b']],
    ['a session to mute', 'mute', '/sessions/s1', ['Mute this session for an hour: mute s1']],
    ['a command', 'restart', '/sessions/s1', ['Restart this session: command restart ']],
    ['a command that the runner does not carry out', 'stop', '/sessions/s1', []],
    ['a message', 'say Use blue', '/sessions/s1', ['Say “Use blue”: command say Use blue']],
    ['a missing message', 'say', '/sessions/s1', ['Say…: type say ']],
    ['a command away from sessions', 'restart', '/', []],
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
    [
      'a time away from sessions',
      'go to 14:03',
      '/',
      ['Go to 14:03 in the events: go /events?to=2026-03-04T14%3A03%3A59.999Z'],
    ],
    ['comparing on a session', 'compare this', '/sessions/s1', ['Compare with…: type compare with ']],
    ['comparing elsewhere', 'compare two', '/events', ['Compare two sessions: go /compare']],
    ['an archive', 'open archive', '/', ['Open archive…: type open archive ']],
    ['a state', 'critical', '/events', ['Show critical sessions: go /?state=critical']],
    ['sessions over the limit', 'their limit', '/', ['Show sessions over their limit: go /?state=redlined']],
    ['letters in order', 'thmdrk', '/', ['Theme: dark: [object Object]']],
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
