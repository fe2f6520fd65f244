use super::application::*;
use super::run_on::*;
use egui::Key;
use egui_kittest::kittest::Queryable;
#[test]
fn gallery() {
    for (size, tag) in [([1440.0, 860.0], "wide"), ([1000.0, 620.0], "mid"), ([760.0, 480.0], "narrow")] {
        let folder = tempfile::tempdir().unwrap();
        let (gpus, stage) = staged(Ok(&["NVIDIA H200", "NVIDIA H200"]));
        let mut h = open("graph", folder.path(), gpus, size);
        h.get_by_label("CUDA graph").click();
        go_on(&mut h);
        choose(&mut h, "Model", "Measured on H200");
        go_on(&mut h);
        h.render().unwrap().save(format!("/tmp/g_{tag}_measured_dark_en.png")).unwrap();
        press(&mut h, Key::L);
        press(&mut h, Key::T);
        h.render().unwrap().save(format!("/tmp/g_{tag}_measured_light_zh.png")).unwrap();
        press(&mut h, Key::L);
        choose(&mut h, "Measured on H200", "GPU 1: NVIDIA H200");
        go_on(&mut h);
        wait(&mut h, "Running on", true);
        h.render().unwrap().save(format!("/tmp/g_{tag}_running_light_en.png")).unwrap();
        stage.outcomes.send(Err("the NVIDIA driver refuses to start: error 999 (CUDA_ERROR_UNKNOWN); use `--on model`, or `nvidia-smi` to see what is wrong".to_owned())).unwrap();
        wait(&mut h, "999", true);
        h.render().unwrap().save(format!("/tmp/g_{tag}_failed_light_en.png")).unwrap();
        h.key_press(Key::L);
        go_on(&mut h);
        h.key_press(Key::T);
        go_on(&mut h);
        h.get_by_value("GPU 1: NVIDIA H200").click();
        go_on(&mut h);
        go_on(&mut h);
        h.render().unwrap().save(format!("/tmp/g_{tag}_failed_dark_zh.png")).unwrap();
    }
}
