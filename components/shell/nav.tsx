'use client';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { callingAlerts, useOpenAlerts } from '../alerts/use-open-alerts';
import { IntentLink } from '../ui/intent-link';
import { activeNavItem, NAV_ITEMS } from './nav-items';
import { SearchBox } from './search-box';

interface LinksProps {
  /** Classes of each link, of the active one, and of the others. */
  look: readonly [all: string, active: string, other: string];
  onClick?: () => void;
}

function Links({ look: [all, own, other], onClick }: LinksProps) {
  const active = activeNavItem(usePathname());
  return NAV_ITEMS.map(({ href, name }) => (
    <IntentLink
      key={href}
      href={href}
      aria-current={active === href ? 'page' : undefined}
      className={`flex items-center ${all} ${active === href ? own : other}`}
      {...(onClick && { onClick })}
    >
      {name}
      {href === '/alerts' ? <FiringCount /> : null}
    </IntentLink>
  ));
}

/** Number of firing alerts that no operator has acknowledged. */
function FiringCount() {
  const open = useOpenAlerts();
  const firing = callingAlerts(open);
  if (firing.length === 0) return null;
  const isAll = open !== null && open.total <= open.alerts.length;
  return (
    <span className="num pl-[5px] font-medium">
      {firing.length}
      {isAll ? '' : '+'}
      <span className="sr-only"> firing</span>
    </span>
  );
}

const BAR = [
  '-mb-px h-[48px] border-b-[1.5px]',
  'border-ink font-medium text-ink',
  'border-transparent text-ink2 hover:text-ink',
] as const;
const MENU = ['h-[44px] border-b border-hair', 'font-medium', 'text-ink2'] as const;

export function Nav() {
  return (
    <nav aria-label="Pages" className="hidden h-full gap-[16px] md:flex xl:gap-[24px]">
      <Links look={BAR} />
    </nav>
  );
}

export function NarrowMenu({ children }: { children: React.ReactNode }) {
  const pathname = usePathname();
  const [openAt, setOpenAt] = useState<string | null>(null);
  // Following a link closes the menu.
  const open = openAt === pathname;
  return (
    <div className="md:hidden">
      <button
        type="button"
        aria-expanded={open}
        aria-controls="narrow-menu"
        aria-label="Menu"
        className="-m-2 block p-2"
        onClick={() => setOpenAt(open ? null : pathname)}
      >
        <svg
          width="18"
          height="14"
          viewBox="0 0 18 14"
          stroke="currentColor"
          strokeWidth="1.2"
          aria-hidden="true"
        >
          <path d={open ? 'M3 1.5 15 12.5M15 1.5 3 12.5' : 'M0 1.6h18M0 7h18M0 12.4h18'} />
        </svg>
      </button>
      <div
        id="narrow-menu"
        hidden={!open}
        className="absolute inset-x-0 top-[48px] z-40 border-b border-ink bg-paper px-[16px] pb-[16px]"
      >
        <nav aria-label="Pages">
          <Links look={MENU} onClick={() => setOpenAt(null)} />
        </nav>
        <div className="flex items-center gap-[16px] pt-[12px]">
          <SearchBox className="flex-1" />
          {children}
        </div>
      </div>
    </div>
  );
}

export function NarrowTitle() {
  const active = activeNavItem(usePathname());
  const name = NAV_ITEMS.find(({ href }) => href === active)?.name ?? 'Barograph';
  return <span className="font-medium md:hidden">{name}</span>;
}
