'use client';
import Link from 'next/link';
import type { Alert, AlertList } from '@/core/api/alerts';
import { AlertButtons } from '../../alerts/alert-buttons';
import { RuleName } from '../../alerts/alert-mark';
import { useTimeZone } from '../../data/use-time-zone';
import { formatDuration } from '../../format/format-duration';
import { formatInstant } from '../../format/format-time';
import { Ago, When } from '../../ui/ago';
import { Button } from '../../ui/button';
import { type Column, DataTable } from '../../ui/data-table';

const RULE: Column<Alert> = {
  head: 'rule',
  wide: true,
  cell: ({ rule, severity }) => <RuleName name={rule.name} severity={severity} enabled />,
};

const SUBJECT: Column<Alert> = {
  head: 'session',
  wide: true,
  cell: ({ session, project, runner }) => (
    <span>
      {session === null ? (
        `runner ${runner}`
      ) : (
        <Link href={`/sessions/${session.id}`} prefetch={false} className="link">
          {session.title ?? session.key}
        </Link>
      )}{' '}
      <span className="text-small text-ink2">{project}</span>
    </span>
  ),
};

const WHAT: Column<Alert> = { head: 'what happened', wide: true, cell: ({ text }) => text };

export function FiringTable({ alerts, total }: { alerts: readonly Alert[]; total: number }) {
  const zone = useTimeZone();
  if (alerts.length === 0) return <p className="py-[8px] text-ink2">No alerts.</p>;
  return (
    <DataTable
      label="Firing alerts"
      rows={alerts}
      total={total}
      first={10}
      keyOf={({ id }) => id}
      columns={[
        RULE,
        SUBJECT,
        WHAT,
        {
          head: 'state',
          cell: ({ phase, acknowledgedAt, mutedUntil }) => (
            <span
              className={`whitespace-nowrap ${phase === 'pending' || acknowledgedAt !== null ? 'text-ink2' : 'font-medium'}`}
            >
              {phase === 'pending' ? 'pending' : acknowledgedAt === null ? 'firing' : 'acknowledged'}
              {mutedUntil === null ? null : (
                <span
                  className="text-ink2"
                  title={`Muted until ${formatInstant(Date.parse(mutedUntil), zone)}`}
                >
                  {' '}
                  · muted
                </span>
              )}
            </span>
          ),
        },
        { head: 'since', num: true, cell: ({ firedAt, since }) => <Ago at={firedAt ?? since} /> },
        {
          head: <span className="sr-only">Actions</span>,
          right: true,
          cell: (alert) => <AlertButtons alert={alert} />,
        },
      ]}
    />
  );
}

const ENDED: Record<string, string> = {
  cleared: 'condition cleared',
  retracted: 'event retracted',
  rule: 'rule turned off',
  removed: 'session removed',
};

/** @param older reads the next page; null: there is none */
export function HistoryTable({ pages, older }: { pages: readonly AlertList[]; older: (() => void) | null }) {
  const alerts = pages.flatMap((page) => page.alerts);
  const total = pages[0]?.total ?? 0;
  if (alerts.length === 0) return <p className="py-[8px] text-ink2">No resolved alerts yet.</p>;
  return (
    <>
      <DataTable
        label="Resolved alerts"
        rows={alerts}
        total={total}
        keyOf={({ id }) => id}
        columns={[
          RULE,
          SUBJECT,
          WHAT,
          { head: 'fired', cell: ({ firedAt }) => (firedAt === null ? '–' : <When at={firedAt} />) },
          {
            head: 'lasted',
            num: true,
            cell: ({ firedAt, resolvedAt }) =>
              firedAt === null || resolvedAt === null
                ? '–'
                : formatDuration(Date.parse(resolvedAt) - Date.parse(firedAt)),
          },
          { head: 'ended by', cell: ({ resolvedBy }) => ENDED[resolvedBy ?? ''] ?? resolvedBy },
        ]}
      />
      {older && (
        <Button className="mt-[10px]" onClick={older}>
          Older alerts
        </Button>
      )}
    </>
  );
}
