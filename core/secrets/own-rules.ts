/**
 * Secret formats that secretlint does not know, as documented by their issuers, and common ways to write passwords. To
 * keep matching linear, no pattern has two adjacent unbounded parts or can start within its own run.
 */
import type { SecretRule } from './secret-rule';

interface Format {
  rule: string;
  /** Every match contains one of these, which are checked first; separated by spaces. */
  needs: string;
  /** With a group: only the group is the secret. */
  pattern: RegExp;
  isLikely?: (value: string) => boolean;
}

const FORMATS: readonly Format[] = [
  // Also without its end: clients cut long outputs.
  {
    rule: 'private key',
    needs: 'PRIVATE',
    pattern:
      /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s{1,4}[A-Za-z0-9+/=]{16,80}){1,300}(?:\s{1,4}[A-Za-z0-9+/=]{1,80})?/g,
  },
  {
    rule: 'AWS key',
    needs: 'AKIA ASIA ABIA ACCA',
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g,
  },
  {
    rule: 'GitLab token',
    needs: 'glpat- gldt- glrt- glcbt- glptt- glft- glagent- gloas- glsoat- glimt- glffct-',
    pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|agent|oas|soat|imt|ffct)-[\w-]{20,100}/g,
  },
  {
    rule: 'Stripe key',
    needs: 'k_live_ k_test_ k_prod_',
    pattern: /\b[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,247}\b/g,
  },
  { rule: 'webhook secret', needs: 'whsec_', pattern: /\bwhsec_[A-Za-z0-9+/=]{24,200}/g },
  { rule: 'Google API key', needs: 'AIza', pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { rule: 'Google client secret', needs: 'GOCSPX-', pattern: /\bGOCSPX-[\w-]{28}(?![\w-])/g },
  { rule: 'Google access token', needs: 'ya29.', pattern: /(?<![\w.-])ya29\.[\w-]{20,1000}/g },
  {
    rule: 'Hugging Face token',
    needs: 'hf_ api_org_',
    pattern: /\b(?:hf_|api_org_)[A-Za-z0-9]{30,40}\b/g,
  },
  { rule: 'OpenAI key', needs: 'sk-', pattern: /(?<![\w-])sk-(?:proj|svcacct|admin|None)-[\w-]{40,250}/g },
  { rule: 'Anthropic key', needs: 'sk-ant-', pattern: /(?<![\w-])sk-ant-[a-z]{2,10}\d{2}-[\w-]{80,150}/g },
  { rule: 'OpenRouter key', needs: 'sk-or-v1-', pattern: /\bsk-or-v1-[a-f0-9]{64}\b/g },
  { rule: 'Groq key', needs: 'gsk_', pattern: /\bgsk_[A-Za-z0-9]{40,60}\b/g },
  { rule: 'xAI key', needs: 'xai-', pattern: /\bxai-[A-Za-z0-9]{70,90}\b/g },
  { rule: 'Perplexity key', needs: 'pplx-', pattern: /\bpplx-[A-Za-z0-9]{40,60}\b/g },
  { rule: 'Replicate token', needs: 'r8_', pattern: /\br8_[A-Za-z0-9]{37}\b/g },
  { rule: 'PyPI token', needs: 'pypi-AgE', pattern: /\bpypi-AgE[\w-]{50,1000}/g },
  { rule: 'RubyGems key', needs: 'rubygems_', pattern: /\brubygems_[a-f0-9]{48}\b/g },
  { rule: 'Docker token', needs: 'dckr_pat_', pattern: /\bdckr_pat_[\w-]{27}(?![\w-])/g },
  { rule: 'DigitalOcean token', needs: '_v1_', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { rule: 'Databricks token', needs: 'dapi', pattern: /\bdapi[a-f0-9]{32}(?:-\d)?\b/g },
  { rule: 'Vault token', needs: 'hvs. hvb. hvr.', pattern: /(?<![\w.-])hv[sbr]\.[\w-]{24,300}/g },
  {
    rule: 'Terraform token',
    needs: '.atlasv1.',
    pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}(?![\w-])/g,
  },
  {
    rule: 'Grafana token',
    needs: 'glsa_ glc_',
    pattern: /\b(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})/g,
  },
  { rule: 'Atlassian token', needs: 'ATATT3', pattern: /\bATATT3[\w=-]{150,250}/g },
  { rule: 'Notion token', needs: 'ntn_ secret_', pattern: /\b(?:ntn_|secret_)[A-Za-z0-9]{43,46}\b/g },
  {
    rule: 'Supabase token',
    needs: 'sbp_ sb_secret_',
    pattern: /\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})\b/g,
  },
  { rule: 'Airtable token', needs: 'pat', pattern: /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g },
  { rule: 'Figma token', needs: 'figd_ figp_', pattern: /\bfig[dp]_[\w-]{20,100}/g },
  { rule: 'Sentry token', needs: 'sntry', pattern: /\bsntry[su]_[\w+/=]{40,400}/g },
  { rule: 'New Relic key', needs: 'NRAK-', pattern: /\bNRAK-[A-Z0-9]{27}\b/g },
  { rule: 'Postman key', needs: 'PMAK-', pattern: /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g },
  {
    rule: 'Doppler token',
    needs: 'dp.',
    pattern: /(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}/g,
  },
  {
    rule: 'Twilio key',
    needs: 'SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf',
    pattern: /\bSK[0-9a-f]{32}\b/g,
  },
  { rule: 'Mailgun key', needs: 'key-', pattern: /(?<![\w-])key-[0-9a-f]{32}\b/g },
  { rule: 'Telegram token', needs: ':AA', pattern: /(?<!\d)\d{8,10}:AA[\w-]{32,33}(?![\w-])/g },
  {
    rule: 'Discord webhook',
    needs: 'discord',
    pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}/g,
  },
  { rule: 'age key', needs: 'AGE-SECRET-KEY-1', pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
  { rule: 'Azure storage key', needs: 'AccountKey=', pattern: /\bAccountKey=([A-Za-z0-9+/]{86}==)/g },
  {
    rule: 'JSON web token',
    needs: 'eyJ',
    pattern: /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g,
  },
  {
    rule: 'access token',
    needs: 'earer EARER',
    pattern: /\bbearer {1,2}([A-Za-z0-9+/=._~-]{16,1000})/gi,
    isLikely: looksRandom,
  },
  {
    rule: 'password',
    needs: 'assw ASSW ecret ECRET oken OKEN ey EY redential REDENTIAL',
    pattern:
      /(?:passw(?:or)?d|secret|token|(?:api|access|private|auth|encryption|signing)[_-]?key|credential)s?["']?\s{0,2}(?:=|:|=>|:=)\s{0,2}["'`]([^\s"'`\\]{8,200})["'`]/gi,
    isLikely: looksRandom,
  },
  {
    rule: 'password',
    needs: 'PASSW SECRET TOKEN KEY',
    pattern:
      /^(?:export )?[A-Z0-9_]{0,60}?(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY)[A-Z0-9_]{0,30}=([^\s"'`#\\]{8,300})$/gm,
    isLikely: looksRandom,
  },
];

const PLACEHOLDER =
  /\$\{|\{\{|process\.env|os\.environ|getenv|import\.meta|<[a-z_-]{1,40}>|x{6}|\*{4}|\.\.\.|your[_-]|example|changeme|placeholder|redacted/i;

/** At least three bits of entropy per character; names and paths have less, or dots and slashes. */
function looksRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (PLACEHOLDER.test(value) || /^[\w.]+\(|^[/~.]|^https?:/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= 3;
}

export const ownRules: readonly SecretRule[] = FORMATS.map(({ rule, needs, pattern, isLikely }) => {
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
