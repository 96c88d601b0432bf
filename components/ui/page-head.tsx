import Link from 'next/link';

export function PageHead({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <header className="pt-[28px] pb-[20px]">
      <h1 className="text-title">{title}</h1>
      <p className="max-w-[64ch] pt-[4px] text-ink2">{children}</p>
    </header>
  );
}

interface MissingProps {
  title: string;
  href: string;
  link: string;
  children: React.ReactNode;
}

export function Missing({ title, href, link, children }: MissingProps) {
  return (
    <div className="page-x">
      <PageHead title={title}>{children}</PageHead>
      <Link href={href} className="button">
        {link}
      </Link>
    </div>
  );
}

export function PageSkeleton({ title }: { title: string }) {
  return (
    <div className="page-x wide-type pb-[48px]" aria-busy="true">
      <header className="pt-[14px] pb-[10px]">
        <h1 className="text-title">{title}</h1>
      </header>
      <div className="min-h-[620px] border-t border-ink" />
    </div>
  );
}
