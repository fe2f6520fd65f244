fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let s = streamscope::scenario::load(&a[1], &text).unwrap();
    let profile = streamscope::profile::open(std::env::var("PROFILE").as_deref().unwrap_or("h200")).unwrap();
    let mut runs: Vec<(streamscope::scenario::Knobs, Option<(f64, String)>)> = vec![];
    for r in &s.references {
        let mut k = streamscope::scenario::Knobs::defaults(&s.knobs);
        for (i, v) in &r.knobs {
            k.set(&s.knobs, i, v.clone()).unwrap();
        }
        runs.push((k, Some((r.measured, r.metric.clone()))));
    }
    for (k, r) in runs {
        let p = match streamscope::program::lower(&s, &k) {
            Ok(p) => p,
            Err(e) => {
                println!("{e}");
                return;
            }
        };
        let t = std::time::Instant::now();
        let rec = streamscope::model::run(&s, &k, &p, &profile, &mut |_| true).unwrap();
        let el = t.elapsed();
        let (m, name) = r.unwrap();
        let v = rec.values.get(&name).copied().flatten().unwrap_or(f64::NAN);
        println!(
            "{:60} {name} {v:10.1} measured {m:10.1} ratio {:.3}  ops {} {:?} wall {} errs {:?}",
            format!("{:?}", k.0.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")),
            v / m,
            p.operations.len(),
            el,
            rec.wall.end,
            rec.errors.iter().map(|e| e.name.clone() + " " + &e.at.path).collect::<Vec<_>>()
        );
    }
}
