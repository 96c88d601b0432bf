import { readFileSync } from 'node:fs';
import {
  type Color,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  wcagContrast,
} from 'culori';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('./globals.css', import.meta.url), 'utf8');

type Theme = 'light' | 'dark';
const TOKEN = /--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\);/g;
const tokens = new Map([...css.matchAll(TOKEN)].map(([, name, light, dark]) => [name, { light, dark }]));

function colour(name: string, theme: Theme): string {
  const value = tokens.get(name)?.[theme];
  if (value === undefined) throw new Error(`app/globals.css has no token --${name}`);
  return value;
}

const SURFACES = ['paper', 'raised', 'sunken'];
const TEXTS = ['ink', 'ink2', 'nominal', 'elevated', 'warning', 'critical', 'redlined'];
const STATES = ['nominal', 'elevated', 'warning', 'critical', 'redlined'];
const EYES: Record<string, (seen: Color) => Color> = {
  usual: (seen) => seen,
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
};

function pairs<T>(list: readonly T[]): [T, T][] {
  return list.flatMap((a, index) => list.slice(index + 1).map((b): [T, T] => [a, b]));
}

describe.each<Theme>(['light', 'dark'])('the colour tokens of the %s theme', (theme) => {
  it('give every text a contrast of at least 4.5 on every surface', () => {
    const onSurfaces = TEXTS.flatMap((text) => SURFACES.map((surface) => [text, surface] as const));
    // The last surface is the background of the over-limit chip.
    for (const [text, surface] of [...onSurfaces, ['paper', 'redlined'] as const]) {
      const contrast = wcagContrast(colour(text, theme), colour(surface, theme));
      expect(contrast, `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(Object.entries(EYES))('differ by ΔE2000 ≥ 10 between all states for %s vision', (_name, see) => {
    const distance = differenceCiede2000();
    for (const [a, b] of pairs(STATES)) {
      const [seenA, seenB] = [a, b].map((name) => see(parse(colour(name, theme)) as Color));
      expect(distance(seenA as Color, seenB as Color), `${a} and ${b}`).toBeGreaterThanOrEqual(10);
    }
  });

  it('keep the colours of warning and critical distinct from the ink of bars and traces', () => {
    const distance = differenceCiede2000();
    for (const state of ['warning', 'critical']) {
      for (const ink of ['ink', 'nominal']) {
        expect(distance(colour(state, theme), colour(ink, theme)), `${state} and ${ink}`).toBeGreaterThan(10);
      }
    }
  });
});
