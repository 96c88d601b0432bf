import { describe, expect, it } from 'vitest';
import { boundaryTitle, clientName, untilWords } from './boundary-words';
import { formatBytes } from './format-bytes';
import {
  formatAge,
  formatDuration,
  formatMinutes,
  formatStopwatch,
  shownMinutes,
  splitMinutes,
} from './format-duration';
import { floorPercent, formatPercent, formatPercentExact } from './format-percent';
import { formatClock, formatInstant, formatSince } from './format-time';
import { formatCount, formatExact, formatTokenChange, formatTokens } from './format-tokens';

const NBSP = '\u00a0';

describe('token counts', () => {
  it('are exact with narrow spaces between thousands', () => {
    expect(formatExact(1_432_262)).toBe('1\u202f432\u202f262');
    expect(formatExact(487)).toBe('487');
    expect(formatExact(-95_469)).toBe('\u221295\u202f469');
    expect(formatExact(Number.MAX_SAFE_INTEGER)).toBe('9\u202f007\u202f199\u202f254\u202f740\u202f991');
  });

  it.each([
    [0, '0'],
    [834, '834'],
    [999, '999'],
    [999.4, '999'],
    [999.6, `1.0${NBSP}k`],
    [2_840, `2.8${NBSP}k`],
    [9_949, `9.9${NBSP}k`],
    [9_960, `10${NBSP}k`],
    [181_960, `182${NBSP}k`],
    [999_499, `999${NBSP}k`],
    [999_500, `1.00${NBSP}M`],
    [1_432_262, `1.43${NBSP}M`],
    [29_000_000, `29.00${NBSP}M`],
    [2_345_678_901, `2\u202f346${NBSP}M`],
    [-2_840, `\u22122.8${NBSP}k`],
  ])('%d reads %s at a glance', (count, text) => {
    expect(formatTokens(count)).toBe(text);
  });

  it('keep a decimal below 100 k where what is left matters', () => {
    expect(formatTokens(16_930, { fine: true })).toBe(`16.9${NBSP}k`);
    expect(formatTokens(99_960, { fine: true })).toBe(`100${NBSP}k`);
  });

  it('show a change with its sign', () => {
    expect(formatTokenChange(1_240)).toBe(`+1.2${NBSP}k`);
    expect(formatTokenChange(-95_469)).toBe(`\u221295.5${NBSP}k`);
    expect(formatTokenChange(0)).toBe('0');
  });

  it('agree with their noun in number', () => {
    expect(formatCount(1, 'turn')).toBe(`1${NBSP}turn`);
    expect(formatCount(2, 'turn')).toBe(`2${NBSP}turns`);
  });
});

describe('sizes of files', () => {
  it.each([
    [0, `0${NBSP}B`],
    [999, `999${NBSP}B`],
    [9_400, `9.4${NBSP}kB`],
    [999_499, `999${NBSP}kB`],
    [999_500, `1.0${NBSP}MB`],
    [3_700_000, `3.7${NBSP}MB`],
    [104_857_600, `105${NBSP}MB`],
    [1_240_000_000, `1.24${NBSP}GB`],
  ])('%d bytes read %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('percentages', () => {
  it('are floored: 49.9 % never reads 50 %', () => {
    expect(formatPercent(0.4999)).toBe(`49${NBSP}%`);
    expect(formatPercent(0.999_99)).toBe(`99${NBSP}%`);
    expect(formatPercent(1)).toBe(`100${NBSP}%`);
  });

  it('do not lose a whole percent to binary fractions', () => {
    for (let whole = 0; whole <= 130; whole += 1) expect(floorPercent(whole / 100)).toBe(whole);
    expect(floorPercent(58 / 200)).toBe(29);
  });

  it('go on past 100, and never show something as nothing', () => {
    expect(formatPercent(7.19)).toBe(`719${NBSP}%`);
    expect(formatPercent(0)).toBe(`0${NBSP}%`);
  });

  it('have one decimal below 10 %, where no state begins', () => {
    expect(formatPercent(0.031_835)).toBe(`3.2${NBSP}%`);
    expect(formatPercent(0.004)).toBe(`0.4${NBSP}%`);
    expect(formatPercent(0.000_4)).toBe(`<0.1${NBSP}%`);
    expect(formatPercent(0.05)).toBe(`5.0${NBSP}%`);
    expect(formatPercent(0.099_9)).toBe(`9.9${NBSP}%`);
    expect(formatPercent(0.1)).toBe(`10${NBSP}%`);
  });

  it('have two floored decimals on hover', () => {
    expect(formatPercentExact(0.031_835)).toBe(`3.18${NBSP}%`);
    expect(formatPercentExact(0.9)).toBe(`90.00${NBSP}%`);
    expect(formatPercentExact(0.89999)).toBe(`89.99${NBSP}%`);
  });
});

describe('times', () => {
  it('give ages in one unit, floored, and never a negative one', () => {
    expect(formatAge(-500)).toBe(`0${NBSP}s`);
    expect(formatAge(59_999)).toBe(`59${NBSP}s`);
    expect(formatAge(60_000)).toBe(`1${NBSP}m`);
    expect(formatAge(3_600_000)).toBe(`1${NBSP}h`);
    expect(formatAge(47 * 3_600_000)).toBe(`47${NBSP}h`);
    expect(formatAge(49 * 3_600_000)).toBe(`2${NBSP}d`);
  });

  it('round what is left until a boundary to the nearest unit shown, and say less than one', () => {
    expect(formatMinutes(0.4)).toBe(`<1${NBSP}min`);
    expect(formatMinutes(0.99)).toBe(`<1${NBSP}min`);
    expect(formatMinutes(1.4)).toBe(`1${NBSP}min`);
    expect(formatMinutes(1.9)).toBe(`2${NBSP}min`);
    expect(formatMinutes(18.9)).toBe(`19${NBSP}min`);
    expect(splitMinutes(119.4)).toEqual({ value: '119', unit: 'min' });
    expect(splitMinutes(119.9)).toEqual({ value: '2', unit: 'h' });
    expect(splitMinutes(151)).toEqual({ value: '3', unit: 'h' });
    expect(splitMinutes(47.6 * 60)).toEqual({ value: '2', unit: 'd' });
    expect(splitMinutes(5 * 24 * 60)).toEqual({ value: '5', unit: 'd' });
  });

  it('sort by the minutes that are shown', () => {
    expect([0.2, 0.99, 1.2, 1.6, 2.4].map(shownMinutes)).toEqual([0, 0, 1, 2, 2]);
  });

  it('measure spans and run a stopwatch', () => {
    expect(formatDuration(850)).toBe(`850${NBSP}ms`);
    expect(formatDuration(77_000)).toBe(`77${NBSP}s`);
    expect(formatDuration(999.6)).toBe(`1${NBSP}s`);
    expect(formatDuration(77_900)).toBe(`78${NBSP}s`);
    expect(formatDuration(119_900)).toBe(`2${NBSP}min`);
    expect(formatDuration(119.9 * 60_000)).toBe(`2${NBSP}h${NBSP}00${NBSP}min`);
    expect(formatDuration(12 * 60_000)).toBe(`12${NBSP}min`);
    expect(formatDuration(125 * 60_000)).toBe(`2${NBSP}h${NBSP}05${NBSP}min`);
    expect(formatStopwatch(134_000)).toBe('02:14');
    expect(formatStopwatch(3_734_000)).toBe('1:02:14');
  });

  it('are in the given zone', () => {
    const at = Date.parse('2026-01-23T17:51:07Z');
    expect(formatClock(at, 'UTC')).toBe('17:51');
    expect(formatClock(at, 'Asia/Tokyo')).toBe('02:51');
    expect(formatInstant(at, 'UTC')).toBe('23 Jan 2026, 17:51:07 UTC');
  });

  it('say since when with the day, where it was another day', () => {
    const at = Date.parse('2026-01-23T17:51:07Z');
    expect(formatSince(at, at + 60_000, 'UTC')).toBe('17:51');
    expect(formatSince(at, at + 7 * 3_600_000, 'UTC')).toBe('23 Jan 17:51');
    expect(formatSince(at, at + 365 * 86_400_000, 'UTC'), 'the same day of another year').toBe(
      '23 Jan 17:51',
    );
  });
});

describe('the words of a boundary', () => {
  it('name a known client as its makers do, and an unknown one as it does', () => {
    expect(boundaryTitle({ kind: 'compaction', source: 'rule' }, 'claude-code')).toBe('Claude Code compacts');
    expect(boundaryTitle({ kind: 'restart', source: 'runner' }, 'codex')).toBe('Runner restarts');
    expect(boundaryTitle({ kind: 'restart', source: 'setting' }, 'codex')).toBe('Restart due');
    expect(boundaryTitle({ kind: 'compaction', source: 'rule' }, 'gemini-cli')).toBe('Gemini CLI compacts');
    expect(clientName('my-agent')).toBe('my-agent');
    expect(clientName(null)).toBe('Client');
  });

  it('follow an amount that is left', () => {
    expect(untilWords({ kind: 'compaction', source: 'rule' }, 'codex')).toBe('until Codex compacts');
    expect(untilWords({ kind: 'restart', source: 'setting' }, 'codex')).toBe('until the restart line');
    expect(untilWords({ kind: 'restart', source: 'runner' }, 'codex')).toBe('until its runner restarts');
    expect(untilWords({ kind: 'limit', source: 'limit' }, null)).toBe('until the limit');
  });
});
