import { NuqsAdapter } from 'nuqs/adapters/next/app';

/** The addresses of these pages are read and written by nuqs. */
export default function TranscriptsLayout({ children }: { children: React.ReactNode }) {
  return <NuqsAdapter>{children}</NuqsAdapter>;
}
