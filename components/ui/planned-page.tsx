import { PageHead } from './page-head';

interface PlannedPageProps {
  title: string;
  /** What will be here, in one sentence. */
  what: string;
  /** What serves the purpose today. */
  children: React.ReactNode;
}

/** The place of a page that is not built yet: says so, and what to use today. */
export function PlannedPage({ title, what, children }: PlannedPageProps) {
  return (
    <div className="page-x">
      <PageHead title={title}>{what}</PageHead>
      <div className="max-w-[64ch] border-t border-ink pt-[14px]">
        <p className="pb-[8px]">This page is not built yet. Until then:</p>
        <div className="text-ink2 [&_li]:border-b [&_li]:border-hair [&_li]:py-[8px]">{children}</div>
      </div>
    </div>
  );
}
