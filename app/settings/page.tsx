import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { type ReactNode, Suspense } from 'react';
import { AuditLatest } from '@/components/features/settings/audit/audit-table';
import { LimitsTables } from '@/components/features/settings/limits-tables';
import { MembersTable } from '@/components/features/settings/members-table';
import { PreferencesForm } from '@/components/features/settings/preferences-form';
import { ProjectsTable } from '@/components/features/settings/projects-table';
import { RetentionTable } from '@/components/features/settings/retention-table';
import { SECTION_SKELETON, Section, SettingRow } from '@/components/features/settings/section';
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
  /** `project`: the project to list first. */
  searchParams: Promise<{ project?: string | string[] }>;
}

export default async function SettingsPage({ searchParams }: SettingsPageProps) {
  const { sql, idleAfterMs } = getSharedDb();
  const [{ project }, head] = await Promise.all([searchParams, headers()]);
  const first = typeof project === 'string' ? project : '';
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
        note="State thresholds and restart lines. A session can declare its own restart line."
        read={() => listProjectSettings(sql)}
      >
        {(projects) => <ProjectsTable projects={projects} first={first} />}
      </ReadSection>
      <ReadSection
        id="transcripts"
        title="Transcripts"
        note="Upload limits and retention. A limit refuses larger uploads with a reason; retention is off by default and deletes permanently."
        read={() => Promise.all([listProjectSettings(sql), listKept(sql)])}
      >
        {([projects, kept]) => <RetentionTable projects={projects} kept={kept} first={first} />}
      </ReadSection>
      <ReadSection
        id="limits"
        title="Limits per model"
        note="The first known source wins: turn; client, its status line or an API error; session; project setting; learned; model table; assumed. The server never overrides a limit that a runner or client states."
        read={() => Promise.all([listProjectSettings(sql), listLimits(sql)])}
      >
        {([projects, limits]) => <LimitsTables projects={projects} limits={limits} first={first} />}
      </ReadSection>
      <ReadSection
        id="tokens"
        title="Access tokens"
        note="For runners and programs. The two local tokens belong to commands on this machine; the server replaces revoked ones at its next start."
        read={readTokens}
      >
        {(tokens) => <TokensPanel tokens={tokens} />}
      </ReadSection>
      <ReadSection
        id="members"
        title="Members and roles"
        note="Permissions on this server."
        read={readTokens}
      >
        {(tokens) => <MembersTable tokens={tokens} address={address} />}
      </ReadSection>
      <ReadSection
        id="audit"
        title="Audit log"
        note="Access to transcripts, changes of settings and tokens. Append-only."
        read={() => listAudit(sql, { limit: 5 })}
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
  read: () => Promise<T>;
  children: (data: T) => ReactNode;
}

/** A section with data from the database. It loads and fails independently of the other sections. */
function ReadSection<T>(props: ReadSectionProps<T>) {
  return (
    <Section id={props.id} title={props.title} note={props.note}>
      <PanelBoundary name={props.title}>
        <Suspense fallback={SECTION_SKELETON}>
          <Content {...props} />
        </Suspense>
      </PanelBoundary>
    </Section>
  );
}

async function Content<T>({ read, children, title }: ReadSectionProps<T>) {
  return read().then(children, () => (
    <p role="alert" className="border-y border-hair py-[10px]">
      {title} could not be loaded: the database did not answer. Reload the page in a moment.
    </p>
  ));
}

async function readTokens(): Promise<AccessToken[]> {
  const tokens = await listTokens(getSharedDb().sql);
  return tokens.map((token) => ({
    ...token,
    createdAt: token.createdAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }));
}
