/** The light theme, inlined: a file has no style sheet. A test holds it to the tokens of app/globals.css. */
export const SHEET_COLOURS = {
  paper: '#faf8f3',
  ink: '#16181b',
  ink2: '#585e65',
  ink3: '#8f8d86',
  hair: '#e4dfd4',
  hair2: '#c6c0b2',
  nominal: '#4a545d',
  elevated: '#005bb5',
  warning: '#836412',
  critical: '#861210',
  redlined: '#230122',
} as const;

export type SheetColours = Record<keyof typeof SHEET_COLOURS, string>;

/** On paper: black on white, hairlines dark enough for a printer. */
export const PRINT_COLOURS: SheetColours = {
  ...SHEET_COLOURS,
  paper: '#ffffff',
  ink: '#000000',
  ink2: '#3d3d3d',
  ink3: '#6e6e6e',
  hair: '#dcdcdc',
  hair2: '#a8a8a8',
};

export const SANS = "Geist, ui-sans-serif, system-ui, 'Helvetica Neue', Arial, sans-serif";
const MONO = "'Geist Mono', ui-monospace, Menlo, Consolas, monospace";
/** Numbers as the page sets them: the widths of labels count with it. */
export const NUMERALS = { 'font-family': MONO, 'letter-spacing': '-0.02em', 'word-spacing': '-0.32em' };

/** Below warning the live end is ink: colour is spent on what is not calm. */
export function markColour(state: string, colours: SheetColours): string {
  return state === 'warning' || state === 'critical' || state === 'redlined' ? colours[state] : colours.ink;
}

export function stateColour(state: string, colours: SheetColours): string {
  return Object.hasOwn(colours, state) ? colours[state as keyof SheetColours] : colours.ink2;
}
