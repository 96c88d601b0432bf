import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { type ReactNode, Suspense } from 'react';
import { AuditLatest } from '@/components/features/settings/audit/audit-table';
import { LimitsTables } from '@/components/features/settings/limits-tables';
import { MembersTable } from '@/components/features/settings/members-table';
import { PreferencesForm } from '@/components/features/settings/preferences-form';
import { ProjectsTable } from '@/components/features/settings/projects-table';
import { RetentionTable } from '@/components/features/settings/retention-table';
import { Section, SectionFailed, SectionSkeleton, SettingRow } from '@/components/features/settings/section';
import { TokensPanel } from '@/components/features/settings/tokens-panel';
import { formatDuration } from '@/components/format/format-duration';
import { PageHead } from '@/components/ui/page-head';
import { PanelBoundary } from '@/components/ui/panel-boundary';
import type { AccessToken } from '@/core/api/settings';
import { listLimits } from '@/db/queries/list-limits';
import { listProjectSettings } from '@/db/queries/project-settings';
import { listTokens } from '@/db/queries/tokens';
import { listAudit } from '@/db/queries/transcripts/list-audit';
import { listKept } from '@/db/queries/transcripts/list-kept';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Settings' };

interface SettingsPageProps {
  /** `project`: the initial search in the tables of projects. */
  searchParams: Promise<{ project?: string | string[] }>;
}

export default async function SettingsPage({ searchParams }: SettingsPageProps) {
  const { sql, idleAfterMs } = getSharedDb();
  const [{ project }, head] = await Promise.all([searchParams, headers()]);
  const find = typeof project === 'string' ? project : '';
  const address = head.get('host') ?? 'this address';
  return (
    <div className="page-x">
      <PageHead title="Settings">Preferences of this browser, and settings of the server.</PageHead>
      <Section id="browser" title="This browser" note="Stored in this browser, for all its tabs.">
        <PanelBoundary name="The preferences">
          <PreferencesForm />
        </PanelBoundary>
      </Section>
      <ReadSection
        id="projects"
        title="Projects"
        note="State thresholds and restart lines. A session can declare its own. Changes apply from the next turn on."
        part="Projects"
        rows={4}
        read={() => listProjectSettings(sql)}
      >
        {(projects) => <ProjectsTable initial={projects} find={find} />}
      </ReadSection>
      <ReadSection
        id="transcripts"
        title="Transcripts"
        note="Upload limits and retention. A limit refuses larger uploads with a reason; retention is off by default and deletes permanently."
        part="Transcripts"
        rows={4}
        read={() => Promise.all([listProjectSettings(sql), listKept(sql)])}
      >
        {([projects, kept]) => <RetentionTable initial={projects} kept={kept} find={find} />}
      </ReadSection>
      <ReadSection
        id="limits"
        title="Limits per model"
        note="The first known of: turn, client, session, model table, learned. The server never overrides a limit that a runner or client states."
        part="Limits"
        rows={8}
        read={() => listLimits(sql)}
      >
        {(limits) => <LimitsTables limits={limits} />}
      </ReadSection>
      <ReadSection
        id="tokens"
        title="Access tokens"
        note="For runners and programs. The two local tokens belong to commands on this machine; the server replaces revoked ones at its next start."
        part="Tokens"
        rows={3}
        read={readTokens}
      >
        {(tokens) => <TokensPanel initial={tokens} />}
      </ReadSection>
      <ReadSection
        id="members"
        title="Members and roles"
        note="Permissions on this server."
        part="Roles"
        rows={4}
        read={readTokens}
      >
        {(tokens) => <MembersTable tokens={tokens} address={address} />}
      </ReadSection>
      <ReadSection
        id="audit"
        title="Audit log"
        note="Access to transcripts, changes of settings and tokens. Append-only."
        part="The audit log"
        rows={5}
        read={() => listAudit(sql, { limit: LATEST })}
      >
        {({ entries }) => <AuditLatest entries={entries} />}
      </ReadSection>
      <Section id="server" title="This server" note="Set by environment variables at start; read-only here.">
        <dl>
          <SettingRow name="Idle after">
            <span className="num">{formatDuration(idleAfterMs)}</span>
            <span className="text-ink2"> without a turn, set by </span>
            <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
          </SettingRow>
        </dl>
      </Section>
    </div>
  );
}

interface ReadSectionProps<T> {
  id: string;
  title: string;
  note: string;
  part: string;
  rows: number;
  read: () => Promise<T>;
  children: (data: T) => ReactNode;
}

/** A section read from the database; it loads and fails alone. */
function ReadSection<T>({ id, title, note, part, rows, read, children }: ReadSectionProps<T>) {
  async function Content() {
    const data = await read().then(
      (value) => ({ value }),
      () => null,
    );
    return data === null ? <SectionFailed what={part} /> : children(data.value);
  }
  return (
    <Section id={id} title={title} note={note}>
      <PanelBoundary name={part}>
        <Suspense fallback={<SectionSkeleton rows={rows} />}>
          <Content />
        </Suspense>
      </PanelBoundary>
    </Section>
  );
}

async function readTokens(): Promise<AccessToken[]> {
  const tokens = await listTokens(getSharedDb().sql);
  return tokens.map((token) => ({
    ...token,
    createdAt: token.createdAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }));
}

const LATEST = 5;
