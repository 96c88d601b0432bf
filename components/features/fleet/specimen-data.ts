/** A hand-made trace with each thing that one can meet, for "How to read the trace". x from 0 to 1, share in percent. */

export const SPECIMEN_BOUNDARY = 83.5;
export const SPECIMEN_NOW = 0.72;
export const SPECIMEN_MEETS = 0.785;
export const SPECIMEN_TEAR = { x: 0.415, before: 83, after: 16 };
export const SPECIMEN_RESTART = 0.505;

type Step = readonly [x: number, percent: number];

/** One list per context. */
export const SPECIMEN_CONTEXTS: readonly (readonly Step[])[] = [
  [
    [0, 13],
    [0.003, 14.5],
    [0.016, 21],
    [0.024, 24.5],
    [0.034, 27],
    [0.046, 28.5],
    [0.052, 30.5],
    [0.078, 33],
    [0.09, 35.5],
    [0.102, 37],
    [0.108, 38.2],
    [0.145, 39],
    [0.186, 40],
    [0.198, 48],
    [0.202, 56],
    [0.212, 58],
    [0.222, 60.5],
    [0.235, 62],
    [0.246, 64],
    [0.26, 65.2],
    [0.295, 67],
    [0.307, 69],
    [0.326, 71.2],
    [0.372, 78],
    [0.376, 80],
    [0.392, 82.2],
    [0.4, 83],
    [0.415, 83],
  ],
  [
    [0.421, 28],
    [0.428, 31],
    [0.435, 33.5],
    [0.451, 35.5],
    [0.459, 37],
    [0.472, 38.2],
    [0.505, 38.2],
  ],
  [
    [0.511, 21],
    [0.514, 37.5],
    [0.518, 40.3],
    [0.565, 41.5],
    [0.582, 45],
    [0.588, 50],
    [0.604, 55.5],
    [0.636, 57],
    [0.668, 58],
    [0.684, 61],
    [0.692, 66],
    [0.7, 69.5],
    [0.706, 74],
    [0.713, 77.5],
    [0.72, 79],
  ],
];
