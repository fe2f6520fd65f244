//! The table: one line a text, English beside Chinese, so that neither can be forgotten.

macro_rules! keys {
    ($($key:ident: $en:literal, $zh:literal;)*) => {
        /// Names a text of the window or of a figure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each key is documented by its text")]
        pub enum Key {
            $($key,)*
        }

        impl Key {
            /// Every key.
            pub const ALL: &[Self] = &[$(Self::$key,)*];

            /// The text in English and in Chinese.
            pub(super) fn texts(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$key => ($en, $zh),)*
                }
            }
        }
    };
}

keys! {
    // Lanes
    LaneHost: "Host", "主机";
    LaneHostThread: "Host thread {0}", "主机线程 {0}";
    LaneHostUnder: "CPU thread", "CPU 线程";
    LaneQueue: "Launch queue", "发射队列";
    LaneQueueUnder: "pending operations", "排队的操作";
    LaneStream: "Stream {0}", "流 {0}";
    LaneStreamDefault: "Default stream", "默认流";
    LaneCopyH2D: "Copy H2D", "拷贝 主机→设备";
    LaneCopyD2H: "Copy D2H", "拷贝 设备→主机";
    LaneCopyUnder: "copy engine", "拷贝引擎";

    // Kinds, for the legend and the inspector
    KindKernel: "kernel", "核函数";
    KindCopy: "copy", "拷贝";
    KindMemset: "memset", "清零";
    KindEvent: "event", "事件";
    KindCall: "CUDA call", "CUDA 调用";
    KindAbove: "Python, dispatcher, ATen", "Python、分发器、ATen";
    KindAllocation: "allocation", "显存分配";
    KindBlocked: "host blocked", "主机阻塞";
    KindWork: "host work", "主机自己的计算";
    KindCapture: "graph capture", "图捕获";
    KindHostFunction: "host function", "主机回调函数";
    KindIdle: "GPU idle", "GPU 空转";
    KindGraphKernel: "kernel of a graph", "图中的核函数";
    LayerPython: "Python", "Python";
    LayerDispatcher: "dispatcher", "分发器";
    LayerAten: "ATen", "ATen";

    // Labels in the timeline and in figures
    BlockedIn: "blocked in {0}", "阻塞于 {0}";
    IdleBecause: "idle: {0}", "空转：{0}";
    QueueMax: "max {0}", "最深 {0}";

    // Causes of idle time
    CauseLaunchBound: "launch-bound", "受限于 CPU 发射";
    CauseHostWork: "host work", "主机在做别的事";
    CauseHostBlocked: "host blocked", "主机阻塞等待";
    CauseEventWait: "event wait", "等待事件";
    CauseCopyWait: "copy wait", "等待拷贝";
    CauseEngineBusy: "copy engine busy", "拷贝引擎忙";
    CauseNoRoom: "no room on the SMs", "SM 已占满";
    CauseLegacyBarrier: "legacy barrier", "旧式默认流屏障";
    CauseHostFunction: "host function", "主机回调函数";
    CauseAllocation: "allocation", "显存分配";
    CauseKernelGap: "gap between operations", "操作间隙";
    CauseGraphGap: "gap between graph nodes", "图节点间隙";
}
