/** Writes `.env.example` from the list of settings: `npm run env-example`. */
import { writeFileSync } from 'node:fs';
import { SETTINGS } from '../core/settings/setting-list';

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const header = [
  '# Every setting, with its unit and default. The server reads a copy of this file named .env: remove the # of',
  '# what you change. A variable of the environment takes precedence over the file. The commands of the runner read',
  '# only the environment. An unknown BAROGRAPH_ name is refused.',
];

const blocks = SETTINGS.map((setting) => [
  ...wrap(setting.meaning, 105).map((line) => `# ${line}`),
  `# Read by: ${setting.readBy === 'both' ? 'server and runner' : setting.readBy}.`,
  `# Unit: ${setting.unit}. Default: ${setting.default || 'not set'}.`,
  `# ${setting.name}=${setting.default}`,
]);

writeFileSync(
  new URL('../.env.example', import.meta.url),
  `${[header, ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`,
);
