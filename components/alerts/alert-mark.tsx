import type { AlertSeverity } from '@/core/alerts/names';
import type { RuleDefinition } from '@/core/alerts/rule';
import type { Alert } from '@/core/api/alerts';

/** The colour of the matching pressure state, so that a page has one scale of urgency. */
const SEVERITY_STATE: Record<AlertSeverity, string> = {
  info: 'elevated',
  warning: 'warning',
  critical: 'critical',
};

/** @param severity absent: the glyph has the colour of the text. */
export function AlertGlyph({ severity }: { severity?: AlertSeverity }) {
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      aria-hidden="true"
      data-state={severity && SEVERITY_STATE[severity]}
      className={`flex-none ${severity ? 'text-state' : ''}`}
      fill={severity === 'critical' ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth="1.2"
    >
      <path d="M2 8.6c1-.9 1.2-1.9 1.2-3.6a2.8 2.8 0 0 1 5.6 0c0 1.7.2 2.7 1.2 3.6z" strokeLinejoin="round" />
      <path d="M4.9 10.6h2.2" strokeLinecap="round" />
    </svg>
  );
}

const ORDER: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

/** The name of a rule with its severity. */
export function RuleName({ name, severity, enabled }: Pick<RuleDefinition, 'name' | 'severity' | 'enabled'>) {
  return (
    <span className={`inline-flex items-center gap-[8px] md:min-w-[150px] ${enabled ? '' : 'text-ink2'}`}>
      <AlertGlyph {...(enabled && { severity })} />
      <span className="font-medium">{name}</span>
      <span className="sr-only">, {severity}</span>
    </span>
  );
}

/** The most severe firing alert of a session, and the number of the others. */
export function AlertMark({ alerts }: { alerts: readonly Alert[] }) {
  const [first, ...others] = alerts.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  if (first === undefined) return null;
  return (
    <span
      className="inline-flex items-center gap-[4px]"
      title={alerts.map(({ rule, text }) => `${rule.name}: ${text}`).join('\n')}
    >
      <AlertGlyph severity={first.severity} />
      <span className="sr-only">{alerts.map(({ rule }) => rule.name).join(', ')}</span>
      {others.length === 0 ? null : <span className="num text-ink2">+{others.length}</span>}
    </span>
  );
}
