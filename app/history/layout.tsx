import { NuqsAdapter } from 'nuqs/adapters/next/app';

/** The address of this page is read and written by nuqs. */
export default function HistoryLayout({ children }: { children: React.ReactNode }) {
  return <NuqsAdapter>{children}</NuqsAdapter>;
}
