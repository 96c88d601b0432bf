import type { Output } from './command';

/** Writes lines to standard output and problems to standard error. Every line replaces the progress line. */
export function createOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  const isTerminal = stdout.isTTY === true;
  let shown = false;
  const clear = () => {
    if (shown) stdout.write('\r\u001b[2K');
    shown = false;
  };
  return {
    line(text = '') {
      clear();
      stdout.write(`${printable(text)}\n`);
    },
    problem(text) {
      clear();
      stderr.write(`${printable(text)}\n`);
    },
    progress(text) {
      if (!isTerminal) return;
      clear();
      if (text === null) return;
      stdout.write(printable(text).slice(0, Math.max(20, (stdout.columns ?? 80) - 1)));
      shown = true;
    },
  };
}

/**
 * Names come from other programs: a control character could move the cursor, and a direction mark reorder the line. As
 * an escape of JSON, each keeps its meaning in JSON output.
 */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (hidden) =>
    hidden.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

const UNPRINTABLE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** `12.3 MB`, `841 kB`, `97 bytes`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  if (bytes < 999_950_000) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/** `1 file`, `2 files`, `1 432 files`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  const digits = String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return `${digits} ${count === 1 ? one : many}`;
}

/** `3 min`, `31 h`, `124 days`. */
export function formatAge(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 2) return `${Math.max(0, Math.round(hours * 60))} min`;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}
