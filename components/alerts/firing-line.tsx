'use client';
import { AlertButtons } from './alert-buttons';
import { AlertGlyph } from './alert-mark';
import { useSessionAlerts } from './use-open-alerts';

/** The firing alerts of a session, with their actions: in the row of its title, or below on narrow screens. */
export function FiringLine({ session }: { session: string }) {
  const alerts = useSessionAlerts(session);
  if (alerts.length === 0) return null;
  return (
    <div className="min-w-0 space-y-[4px] max-xl:order-last max-xl:-mb-[2px] max-xl:w-full max-xl:border-t max-xl:border-hair max-xl:pt-[8px] xl:min-w-[320px] xl:shrink-[10000000]">
      {alerts.map((alert) => (
        <div
          key={alert.id}
          role="status"
          className="flex flex-wrap items-center gap-x-[8px] gap-y-[4px] xl:flex-nowrap"
        >
          <AlertGlyph severity={alert.severity} />
          <b className="min-w-0 xl:truncate" title={alert.rule.name}>
            {alert.rule.name}
          </b>
          <span className="min-w-0 xl:shrink-[1000] xl:truncate xl:max-[105rem]:sr-only" title={alert.text}>
            {alert.text}
          </span>
          <div className="ml-auto flex shrink-0 items-center gap-[6px]">
            {alert.acknowledgedAt === null ? null : <span className="text-ink2">acknowledged</span>}
            <AlertButtons alert={alert} />
          </div>
        </div>
      ))}
    </div>
  );
}
