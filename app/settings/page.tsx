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

export default function SettingsPage({ searchParams }: SettingsPageProps) {
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
      >
        <Projects searchParams={searchParams} />
      </ReadSection>
      <ReadSection
        id="transcripts"
        title="Transcripts"
        note="Upload limits and retention. A limit refuses larger uploads with a reason; retention is off by default and deletes permanently."
        part="Transcripts"
        rows={4}
      >
        <Kept searchParams={searchParams} />
      </ReadSection>
      <ReadSection
        id="limits"
        title="Limits per model"
        note="The first known of: turn, client, session, model table, learned. The server never overrides a limit that a runner or client states."
        part="Limits"
        rows={8}
      >
        <Limits />
      </ReadSection>
      <ReadSection
        id="tokens"
        title="Access tokens"
        note="For runners and programs. The two local tokens belong to commands on this machine; the server replaces revoked ones at its next start."
        part="Tokens"
        rows={3}
      >
        <Tokens />
      </ReadSection>
      <ReadSection
        id="members"
        title="Members and roles"
        note="Permissions on this server."
        part="Roles"
        rows={4}
      >
        <Members />
      </ReadSection>
      <ReadSection
        id="audit"
        title="Audit log"
        note="Access to transcripts, changes of settings and tokens. Append-only."
        part="The audit log"
        rows={5}
      >
        <Audit />
      </ReadSection>
      <Section id="server" title="This server" note="Set by environment variables at start; read-only here.">
        <dl>
          <SettingRow name="Idle after">
            <span className="num">{formatDuration(getSharedDb().idleAfterMs)}</span>
            <span className="text-ink2"> without a turn, set by </span>
            <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
          </SettingRow>
        </dl>
      </Section>
    </div>
  );
}

interface ReadSectionProps {
  id: string;
  title: string;
  note: string;
  /** Subject of the error message. */
  part: string;
  /** Height of the skeleton. */
  rows: number;
  children: ReactNode;
}

/** A section read from the database; it loads and fails alone. */
function ReadSection({ id, title, note, part, rows, children }: ReadSectionProps) {
  return (
    <Section id={id} title={title} note={note}>
      <PanelBoundary name={part}>
        <Suspense fallback={<SectionSkeleton rows={rows} />}>{children}</Suspense>
      </PanelBoundary>
    </Section>
  );
}

async function Projects({ searchParams }: SettingsPageProps) {
  const find = findOf(await searchParams);
  const projects = await listProjectSettings(getSharedDb().sql).catch(() => null);
  if (projects === null) return <SectionFailed what="Projects" />;
  return <ProjectsTable initial={projects} find={find} />;
}

async function Kept({ searchParams }: SettingsPageProps) {
  const { sql } = getSharedDb();
  const find = findOf(await searchParams);
  const read = await Promise.all([listProjectSettings(sql), listKept(sql)]).catch(() => null);
  if (read === null) return <SectionFailed what="Transcripts" />;
  const [projects, kept] = read;
  return <RetentionTable initial={projects} kept={kept} find={find} />;
}

function findOf({ project }: { project?: string | string[] }): string {
  return typeof project === 'string' ? project : '';
}

async function Limits() {
  const limits = await listLimits(getSharedDb().sql).catch(() => null);
  return limits === null ? <SectionFailed what="Limits" /> : <LimitsTables limits={limits} />;
}

async function Tokens() {
  const tokens = await readTokens();
  return tokens === null ? <SectionFailed what="Tokens" /> : <TokensPanel initial={tokens} />;
}

async function Members() {
  const tokens = await readTokens();
  if (tokens === null) return <SectionFailed what="Roles" />;
  const host = (await headers()).get('host') ?? 'this address';
  return <MembersTable tokens={tokens} address={host} />;
}

async function readTokens(): Promise<AccessToken[] | null> {
  const tokens = await listTokens(getSharedDb().sql).catch(() => null);
  return (
    tokens?.map((token) => ({
      ...token,
      createdAt: token.createdAt.toISOString(),
      lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    })) ?? null
  );
}

/** Audit entries on this page. */
const LATEST = 5;

async function Audit() {
  const log = await listAudit(getSharedDb().sql, { limit: LATEST }).catch(() => null);
  return log === null ? <SectionFailed what="The audit log" /> : <AuditLatest entries={log.entries} />;
}
