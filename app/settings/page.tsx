import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { formatDuration } from '@/components/format/format-duration';
import { formatPercent } from '@/components/format/format-percent';
import { readTheme, THEME_COOKIE } from '@/components/shell/theme';
import { ThemeChoice } from '@/components/shell/theme-switch';
import { PageHead } from '@/components/ui/page-head';
import { STATE_WORD, StateLabel } from '@/components/ui/state-label';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Settings' };

const BOUNDS = ['elevated', 'warning', 'critical', 'redlined'] as const;

export default async function SettingsPage() {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  const { idleAfterMs } = getSharedDb();
  return (
    <div className="page-x">
      <PageHead title="Settings">
        The theme is kept in this browser. What follows is in force on this server and can only be read here;
        changing it on this page comes later.
      </PageHead>
      <dl className="max-w-[720px] border-t border-ink [&>div]:grid [&>div]:min-h-[44px] [&>div]:grid-cols-[180px_minmax(0,1fr)] [&>div]:items-center [&>div]:border-b [&>div]:border-hair max-sm:[&>div]:grid-cols-1 max-sm:[&>div]:py-[8px]">
        <div>
          <dt className="text-ink2">Theme</dt>
          <dd>
            <ThemeChoice initial={theme} />
          </dd>
        </div>
        <div>
          <dt className="text-ink2">States begin at</dt>
          <dd className="flex flex-wrap gap-x-[24px]">
            {BOUNDS.map((state) => (
              <span key={state} className="inline-flex items-center gap-[8px]" title={STATE_WORD[state]}>
                <StateLabel state={state} />
                <span className="num">{formatPercent(DEFAULT_THRESHOLDS[state])}</span>
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt className="text-ink2">Restart line</dt>
          <dd>
            <span className="num">{formatPercent(DEFAULT_THRESHOLDS.restartLine)}</span>
            <span className="text-ink2"> of the limit, where a session declares none of its own</span>
          </dd>
        </div>
        <div>
          <dt className="text-ink2">Idle after</dt>
          <dd>
            <span className="num">{formatDuration(idleAfterMs)}</span>
            <span className="text-ink2"> without a turn, set by </span>
            <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
          </dd>
        </div>
      </dl>
    </div>
  );
}
