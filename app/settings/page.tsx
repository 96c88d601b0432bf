import type { Metadata } from 'next';
import { type ReactNode, Suspense } from 'react';
import { formatDuration } from '@/components/format/format-duration';
import { LimitsTables } from '@/components/settings/limits-tables';
import { PreferencesForm } from '@/components/settings/preferences-form';
import { ProjectsTable } from '@/components/settings/projects-table';
import { Section } from '@/components/settings/section';
import { SectionFailed, SectionSkeleton } from '@/components/settings/section-skeleton';
import { TokensPanel } from '@/components/settings/tokens-panel';
import { PageHead } from '@/components/ui/page-head';
import { PanelBoundary } from '@/components/ui/panel-boundary';
import { listLimits } from '@/db/queries/settings/list-limits';
import { listProjectSettings } from '@/db/queries/settings/project-settings';
import { listTokens } from '@/db/queries/tokens/list-tokens';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Settings' };

export default function SettingsPage() {
  return (
    <div className="page-x">
      <PageHead title="Settings">
        How this browser shows things, and what holds on this server for everybody.
      </PageHead>
      <Section id="browser" title="This browser" note="Kept here, in all tabs; nobody else sees it.">
        <PanelBoundary name="The preferences">
          <PreferencesForm />
        </PanelBoundary>
      </Section>
      <Section
        id="projects"
        title="Projects"
        note="Where states begin, and where a runner that restarts at the project’s line does so; a session may declare its own. A change holds from the next turn on."
      >
        <Part name="Projects" rows={4}>
          <Projects />
        </Part>
      </Section>
      <Section
        id="limits"
        title="Limits per model"
        note="The first that exists: what the turn says, its client, its session, the table, what was learned. What a runner or client states is never overruled."
      >
        <Part name="Limits" rows={8}>
          <Limits />
        </Part>
      </Section>
      <Section
        id="tokens"
        title="Access tokens"
        note="For runners and programs. The two named local are those of commands on this machine; revoked, they are made anew at the next start."
      >
        <Part name="Tokens" rows={3}>
          <Tokens />
        </Part>
      </Section>
      <Section id="server" title="This server" note="Set where it is started, and only read here.">
        <dl className="settings-rows">
          <div>
            <dt>Idle after</dt>
            <dd>
              <span className="num">{formatDuration(getSharedDb().idleAfterMs)}</span>
              <span className="text-ink2"> without a turn, set by </span>
              <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
            </dd>
          </div>
        </dl>
      </Section>
    </div>
  );
}

/** A part waits and breaks alone. */
function Part({ name, rows, children }: { name: string; rows: number; children: ReactNode }) {
  return (
    <PanelBoundary name={name}>
      <Suspense fallback={<SectionSkeleton rows={rows} />}>{children}</Suspense>
    </PanelBoundary>
  );
}

async function Projects() {
  const projects = await listProjectSettings(getSharedDb().sql).catch(() => null);
  return projects === null ? <SectionFailed what="Projects" /> : <ProjectsTable initial={projects} />;
}

async function Limits() {
  const limits = await listLimits(getSharedDb().sql).catch(() => null);
  return limits === null ? <SectionFailed what="Limits" /> : <LimitsTables limits={limits} />;
}

async function Tokens() {
  const tokens = await listTokens(getSharedDb().sql).catch(() => null);
  if (tokens === null) return <SectionFailed what="Tokens" />;
  return (
    <TokensPanel
      initial={tokens.map((token) => ({
        ...token,
        createdAt: token.createdAt.toISOString(),
        lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
      }))}
    />
  );
}
