import type { Metadata } from 'next';
import { InvitationForm } from '@/components/features/account/invitation-form';
import { PageHead } from '@/components/ui/page-head';
import { getViewer } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Invitation' };

export default function InvitationPage() {
  return (
    <div className="page-x wide-type">
      <PageHead title="Create your account">The link of this page works once.</PageHead>
      <InvitationForm singleSignOn={getViewer().accounts?.singleSignOn ?? false} />
    </div>
  );
}
