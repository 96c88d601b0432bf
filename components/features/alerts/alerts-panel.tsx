'use client';
import { useState } from 'react';
import { useOpenAlerts } from '../../alerts/use-open-alerts';
import { useMay } from '../../preferences/viewer';
import { PageHead } from '../../ui/page-head';
import { PanelBoundary } from '../../ui/panel-boundary';
import { Section } from '../../ui/section';
import { FiringTable, HistoryTable } from './alert-tables';
import { ChannelsTable } from './channels-table';
import { DeadLetters } from './dead-letters';
import { RulesTable } from './rules-table';
import { type AlertsSeed, useAlertLists } from './use-alert-lists';

/** @param seed AlertsSeed as JSON text */
export function AlertsPanel({ seed }: { seed: string }) {
  const [initial] = useState(() => JSON.parse(seed) as AlertsSeed);
  const frame = useOpenAlerts();
  const open = frame ?? initial.open;
  /** Rules and channels belong to no project. */
  const seesServer = useMay()('read', null);
  const { history, rules, channels, letters, refresh } = useAlertLists(initial, frame);
  return (
    <div className="page-x pb-[48px]">
      <PageHead title="Alerts">Rules watch every live session. Imported history never alerts.</PageHead>
      <Part
        title="Firing now"
        note="An acknowledged alert is not repeated. A muted session sends no messages."
      >
        <FiringTable alerts={open.alerts} total={open.total} />
      </Part>
      {seesServer ? (
        <>
          <Part title="Rules" note="A rule that is off sends nothing and shows nothing.">
            <RulesTable rules={rules} channels={channels} refresh={refresh} />
          </Part>
          <Part title="Channels" note="Receivers of messages. Secrets are never shown again.">
            <ChannelsTable channels={channels} refresh={refresh} />
          </Part>
          <Part title="Dead letters" note="Messages that were not delivered after all attempts.">
            <DeadLetters letters={letters.deliveries} total={letters.total} refresh={refresh} />
          </Part>
        </>
      ) : (
        <p className="border-t border-ink py-[14px] text-ink2">
          Only people with a server-wide role can see rules and channels.
        </p>
      )}
      <Part title="History" note="Resolved alerts of the last 90 days.">
        <HistoryTable {...history} />
      </Part>
    </div>
  );
}

function Part({ title, note, children }: { title: string; note: string; children: React.ReactNode }) {
  return (
    <Section id={title.replace(' ', '-')} title={title} note={note}>
      <PanelBoundary name={`“${title}”`}>{children}</PanelBoundary>
    </Section>
  );
}
