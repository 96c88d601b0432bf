/**
 * secretlint's recommended rules, called without its engine. The engine takes quadratic time in the number of findings
 * and obeys `secretlint-disable` in untrusted text.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretRule } from './secret-rule';

interface KeptRule {
  meta: { id: string };
  create(context: object, options: object): { file?: (source: object) => Promise<void> | void };
}

/** Display names by the last word of the rule's id. */
const NAMES: Readonly<Record<string, string>> = {
  '1password': '1Password token',
  anthropic: 'Anthropic key',
  aws: 'AWS key',
  basicauth: 'password in an address',
  'database-connection-string': 'database password',
  gcp: 'Google Cloud key',
  github: 'GitHub token',
  linear: 'Linear key',
  npm: 'npm token',
  openai: 'OpenAI key',
  privatekey: 'private key',
  sendgrid: 'SendGrid key',
  shopify: 'Shopify key',
  slack: 'Slack token',
};
/** Matches of these rules extend to the next white space, beyond closing quotes in JSON. */
const ADDRESSES: ReadonlySet<string> = new Set(['basicauth', 'database-connection-string']);
/**
 * Every match of these slow rules contains one of these texts, ignoring case. The texts come from the patterns of
 * version 11.3.1, and a test checks that this version is installed.
 */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  '1password': ['ops_ey'],
  anthropic: ['sk-ant-api0'],
  'database-connection-string': ['mongodb://', 'mongodb+srv://', 'mysql', 'postgres'],
  github: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  linear: ['lin_api_'],
  npm: ['x-oauth-basic', '_authToken=', 'npm_'],
  openai: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'T3BlbkFJ'],
  sendgrid: ['SG.'],
  shopify: ['shppa_', 'shpca_', 'shpat_', 'shpss_'],
  slack: ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.com'],
};
const PREFIX = '@secretlint/secretlint-rule-';
const OBEYS_COMMENTS = `${PREFIX}filter-comments`;

export const keptRules: readonly SecretRule[] = (rules as readonly unknown[] as readonly KeptRule[])
  .filter(({ meta }) => meta.id !== OBEYS_COMMENTS)
  .map(toRule);

function toRule(kept: KeptRule): SecretRule {
  const word = kept.meta.id.replace(PREFIX, '');
  const rule = NAMES[word] ?? word.replace(/[^\w .,'-]/g, ' ').slice(0, 60);
  const needs = NEEDS[word];
  return async (text, report, grams) => {
    if (needs !== undefined && !needs.some((part) => grams.mayHold(part))) return;
    const context = {
      sharedOptions: {},
      createTranslator: () => (id: string, data?: object) => ({ message: id, messageId: id, data }),
      report: ({ range: [from, to] }: { range: readonly [number, number] }) =>
        report({ from, to: ADDRESSES.has(word) ? endOfAddress(text, from, to) : to, rule }),
      ignore: () => undefined,
    };
    const source = { content: text, filePath: 'transcript', ext: '', contentType: 'text' };
    await kept.create(context, {}).file?.(source);
  };
}

function endOfAddress(text: string, from: number, to: number): number {
  const length = text.slice(from, to).search(/["'`\\<>\s]/);
  return length < 1 ? to : from + length;
}
