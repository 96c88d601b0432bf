import type { Metadata } from 'next';
import { LogInForm } from '@/components/features/account/log-in-form';
import { PageHead } from '@/components/ui/page-head';
import { getViewer } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Log in' };

interface LogInPageProps {
  /** `next`: path to open afterwards. `error`: code of a refusal by single sign-on. */
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function LogInPage({ searchParams }: LogInPageProps) {
  const { next, error } = await searchParams;
  const refusal =
    error === undefined
      ? ''
      : 'Single sign-on was refused. You need an invitation for the e-mail address that your provider has verified.';
  return (
    <div className="page-x wide-type">
      <PageHead title="Log in">Context pressure of an agent fleet.</PageHead>
      <LogInForm
        next={typeof next === 'string' ? next : null}
        singleSignOn={getViewer().accounts?.singleSignOn ?? false}
        refusal={refusal}
      />
    </div>
  );
}
