import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part';

// A page with data does not load the steps.
const ConnectSteps = lazyPart(() => import('./connect-steps'));

/** Prefixes of the commands: the folder to run them in, and the server's data folder; both may be empty. */
export type ConnectPlace = Record<'folderPrefix' | 'dataPrefix', string>;

interface EmptyPageProps {
  title: ReactNode;
  note: ReactNode;
  place: ConnectPlace;
  /** What the page shows once there is data. */
  children: ReactNode;
}

/** A page without data: the steps that bring data, and beside them what the page shows then. */
export function EmptyPage({ title, note, place, children }: EmptyPageProps) {
  return (
    <div className="grid grid-cols-1 gap-x-[32px] lg:grid-cols-[400px_minmax(0,1fr)] lg:min-h-[calc(100vh-154px)] xl:grid-cols-[440px_minmax(0,1fr)] min-[120rem]:grid-cols-[600px_minmax(0,1fr)] min-[120rem]:gap-x-[48px]">
      <div className="min-w-0 pt-[28px] pb-[32px] lg:border-r lg:border-hair lg:pr-[32px] min-[120rem]:pr-[48px]">
        <h1 className="display pb-[14px] leading-[50px] max-md:text-[36px] max-md:leading-[40px]">{title}</h1>
        <p className="max-w-[64ch] pb-[20px] text-ink2">{note}</p>
        <Suspense>
          <ConnectSteps {...place} />
        </Suspense>
      </div>
      <div className="min-w-0 pt-[28px] pb-[32px] max-lg:border-t max-lg:border-hair">{children}</div>
    </div>
  );
}

interface PreviewProps {
  title: string;
  rows: readonly (readonly [name: ReactNode, text: ReactNode])[];
}

/** What a page shows, as names with their meaning. */
export function Preview({ title, rows }: PreviewProps) {
  return (
    <>
      <h2 className="pb-[12px] text-title">{title}</h2>
      <dl className="border-t border-ink">
        {rows.map(([name, text], index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change
            key={index}
            className="grid gap-x-[24px] border-b border-hair py-[7px] sm:grid-cols-[minmax(150px,1fr)_minmax(0,4fr)]"
          >
            <dt>{name}</dt>
            <dd className="text-ink2">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
