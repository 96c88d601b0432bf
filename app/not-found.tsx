import Link from 'next/link';
import { PageHead } from '@/components/ui/page-head';

export default function NotFound() {
  return (
    <div className="page-x">
      <PageHead title="There is no such page">
        The address may be mistyped, or what it named was deleted. The fleet shows every session that is
        known.
      </PageHead>
      <Link href="/" className="button">
        To the fleet
      </Link>
    </div>
  );
}
