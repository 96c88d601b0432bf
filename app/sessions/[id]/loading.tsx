import { PageSkeleton } from '@/components/ui/page-head';

export default function SessionLoading() {
  return <PageSkeleton title="Session" />;
}
