/**
 * Secret formats that secretlint does not detect, as their issuers document them, and common ways to write passwords.
 * To keep searches linear, no pattern has two adjacent unbounded parts, and no match can start inside another.
 */
import type { SecretRule } from './secret-rule';

/**
 * `needs`: words separated by spaces. Every match contains one of them, so they are searched first.
 * `pattern`: if the pattern has a group, only the group is the secret.
 */
type Format = [rule: string, needs: string, pattern: RegExp, isLikely?: (value: string) => boolean];

const FORMATS: readonly Format[] = [
  // Also matches a key without its end, because clients cut long outputs.
  [
    'private key',
    'PRIVATE',
    /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s{1,4}[A-Za-z0-9+/=]{16,80}){1,300}(?:\s{1,4}[A-Za-z0-9+/=]{1,80})?/g,
  ],
  ['AWS key', 'AKIA ASIA ABIA ACCA', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g],
  [
    'GitLab token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glagent- gloas- glsoat- glimt- glffct-',
    /\bgl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|soat|imt|ffct)-[\w-]{20,100}/g,
  ],
  ['Stripe key', 'k_live_ k_test_ k_prod_', /\b[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,247}\b/g],
  ['webhook secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/=]{24,200}/g],
  ['Google API key', 'AIza', /\bAIza[\w-]{35}(?![\w-])/g],
  ['Google client secret', 'GOCSPX-', /\bGOCSPX-[\w-]{28}(?![\w-])/g],
  ['Google access token', 'ya29.', /(?<![\w.-])ya29\.[\w-]{20,1000}/g],
  ['Hugging Face token', 'hf_ api_org_', /\b(?:hf_|api_org_)[A-Za-z0-9]{30,40}\b/g],
  ['OpenAI key', 'sk-', /(?<![\w-])sk-(?:proj|svcacct|admin|None)-[\w-]{40,250}/g],
  ['Anthropic key', 'sk-ant-', /(?<![\w-])sk-ant-[a-z]{2,10}\d{2}-[\w-]{80,150}/g],
  ['OpenRouter key', 'sk-or-v1-', /\bsk-or-v1-[a-f0-9]{64}\b/g],
  ['Groq key', 'gsk_', /\bgsk_[A-Za-z0-9]{40,60}\b/g],
  ['xAI key', 'xai-', /\bxai-[A-Za-z0-9]{70,90}\b/g],
  ['Perplexity key', 'pplx-', /\bpplx-[A-Za-z0-9]{40,60}\b/g],
  ['Replicate token', 'r8_', /\br8_[A-Za-z0-9]{37}\b/g],
  ['PyPI token', 'pypi-AgE', /\bpypi-AgE[\w-]{50,1000}/g],
  ['RubyGems key', 'rubygems_', /\brubygems_[a-f0-9]{48}\b/g],
  ['Docker token', 'dckr_pat_', /\bdckr_pat_[\w-]{27}(?![\w-])/g],
  ['DigitalOcean token', '_v1_', /\bdo[opr]_v1_[a-f0-9]{64}\b/g],
  ['Databricks token', 'dapi', /\bdapi[a-f0-9]{32}(?:-\d)?\b/g],
  ['Vault token', 'hvs. hvb. hvr.', /(?<![\w.-])hv[sbr]\.[\w-]{24,300}/g],
  ['Terraform token', '.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}(?![\w-])/g],
  ['Grafana token', 'glsa_ glc_', /\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})/g],
  ['Atlassian token', 'ATATT3', /\bATATT3[\w=-]{150,250}/g],
  ['Notion token', 'ntn_ secret_', /\b(?:ntn_|secret_)[A-Za-z0-9]{43,46}\b/g],
  ['Supabase token', 'sbp_ sb_secret_', /\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})\b/g],
  ['Airtable token', 'pat', /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g],
  ['Figma token', 'figd_ figp_', /\bfig[dp]_[\w-]{20,100}/g],
  ['Sentry token', 'sntry', /\bsntry[su]_[\w+/=]{40,400}/g],
  ['New Relic key', 'NRAK-', /\bNRAK-[A-Z0-9]{27}\b/g],
  ['Postman key', 'PMAK-', /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g],
  ['Doppler token', 'dp.', /(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}/g],
  ['Twilio key', 'SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf', /\bSK[0-9a-f]{32}\b/g],
  ['Mailgun key', 'key-', /(?<![\w-])key-[0-9a-f]{32}\b/g],
  ['Telegram token', ':AA', /(?<!\d)\d{8,10}:AA[\w-]{32,33}(?![\w-])/g],
  ['Discord webhook', 'discord', /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}/g],
  ['age key', 'AGE-SECRET-KEY-1', /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g],
  ['Azure storage key', 'AccountKey=', /\bAccountKey=([A-Za-z0-9+/]{86}==)/g],
  ['JSON web token', 'eyJ', /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g],
  ['access token', 'earer EARER', /\bbearer {1,2}([A-Za-z0-9+/=._~-]{16,1000})/gi, looksRandom],
  [
    'password',
    'assw ASSW ecret ECRET oken OKEN ey EY redential REDENTIAL',
    /(?:passw(?:or)?d|secret|token|(?:api|access|private|auth|encryption|signing)[_-]?key|credential)s?["']?\s{0,2}(?:=|:|=>|:=)\s{0,2}["'`]([^\s"'`\\]{8,200})["'`]/gi,
    looksRandom,
  ],
  [
    'password',
    'PASSW SECRET TOKEN KEY',
    /^(?:export )?[A-Z0-9_]{0,60}?(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY)[A-Z0-9_]{0,30}=([^\s"'`#\\]{8,300})$/gm,
    looksRandom,
  ],
];

const PLACEHOLDER =
  /\$\{|\{\{|process\.env|os\.environ|getenv|import\.meta|<[a-z_-]{1,40}>|x{6}|\*{4}|\.\.\.|your[_-]|example|changeme|placeholder|redacted/i;

/** Letters, digits and at least three bits of entropy per character, but no placeholder, call, path or address. */
function looksRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (PLACEHOLDER.test(value) || /^[\w.]+\(|^[/~.]|^https?:/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= 3;
}

export const ownRules: readonly SecretRule[] = FORMATS.map(([rule, needs, pattern, isLikely]) => {
  const parts = needs.split(' ');
  const withPlaces = new RegExp(pattern.source, `${pattern.flags}d`);
  return (text, report, grams) => {
    if (!parts.some((part) => grams.mayHold(part) && text.includes(part))) return;
    for (const match of text.matchAll(withPlaces)) {
      const [from, to] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      if (isLikely && !isLikely(text.slice(from, to))) continue;
      report({ from, to, rule });
    }
  };
});
