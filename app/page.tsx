import { StateLabel } from '@/components/ui/state-label';

export default function FleetPage() {
  return <StateLabel state="warning" />;
}
