import { PageSkeleton } from '@/components/ui/page-head';

export default function CompareLoading() {
  return <PageSkeleton title="Compare" />;
}
