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
      stdout.write(`${text}\n`);
    },
    problem(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    progress(text) {
      if (!isTerminal) return;
      clear();
      if (text === null) return;
      stdout.write(text.slice(0, Math.max(20, (stdout.columns ?? 80) - 1)));
      shown = true;
    },
  };
}

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
