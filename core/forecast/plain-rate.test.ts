import { describe, expect, it } from 'vitest';
import { type Growth, plainRate, weighRate } from './plain-rate';

const steady: Growth[] = Array.from({ length: 10 }, () => [1, 2_000] as const);

describe('the plain rate', () => {
  it('is the mean growth per turn and per minute of steady turns', () => {
    expect(plainRate(steady)).toEqual({ tokensPerTurn: 2_000, tokensPerMinute: 2_000 });
  });

  it('has no rate before three turns of growth', () => {
    expect(plainRate(steady.slice(0, 2))).toEqual({ tokensPerTurn: null, tokensPerMinute: null });
    expect(plainRate(steady.slice(0, 3)).tokensPerTurn).toBe(2_000);
  });

  it('has no rate per minute if all turns have the same time', () => {
    expect(plainRate(steady.map(([, tokens]) => [0, tokens] as const)).tokensPerMinute).toBeNull();
  });

  const ofTokens = (...tokens: number[]) => plainRate(tokens.map((grown) => [1, grown] as const));
  const ofMinutes = (...minutes: number[]) => plainRate(minutes.map((pause) => [pause, 1_000] as const));

  it('leaves out the largest and the smallest growth if there are five turns or more', () => {
    expect(ofTokens(10, 1, 3, 2).tokensPerTurn).toBe(4);
    expect(ofTokens(100, 10, 1, 3, 2).tokensPerTurn).toBe(5);
    expect(ofTokens(9, 10, 100, 3, -50, 2).tokensPerTurn).toBe(6);
  });

  it('counts a pause as at most four times the median pause', () => {
    expect(ofMinutes(100, 1, 1, 1, 1).tokensPerMinute).toBe(1_000 / 1.6);
    expect(ofMinutes(30, 1, 3, 1).tokensPerMinute).toBe(1_000 / 3.25);
    expect(ofMinutes(3, 3, 3).tokensPerMinute).toBe(1_000 / 3);
  });

  it('never shortens a pause of up to two minutes', () => {
    expect(ofMinutes(0.25, 2, 0.25).tokensPerMinute).toBe(1_000 / (2.5 / 3));
    expect(ofMinutes(0.25, 3, 0.25).tokensPerMinute).toBe(1_000 / (2.5 / 3));
  });
});

describe('the inputs of the rate', () => {
  it('include the smallest and the largest growth, which the mean excludes', () => {
    expect(weighRate(steady.slice(0, 4))).toMatchObject({ counted: 4, leftOut: null, shortened: 0 });
    const growth = [9, 100, 3, -50, 2].map((tokens) => [1, tokens] as const);
    expect(weighRate(growth)).toMatchObject({ turns: 5, tokens: 14, counted: 3, leftOut: [-50, 100] });
  });

  it('include the number of pauses longer than four median pauses', () => {
    const pauses = (...minutes: number[]) => weighRate(minutes.map((pause) => [pause, 1] as const));
    expect(pauses(1, 5, 30)).toMatchObject({ longestPause: 20, shortened: 1, minutes: 26 });
    expect(pauses(1, 5, 20)).toMatchObject({ longestPause: 20, shortened: 0, minutes: 26 });
  });
});
